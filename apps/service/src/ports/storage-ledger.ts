/** The kinds of stored objects. */
export type StorageArea = (typeof STORAGE_AREAS)[number]

/** Every {@link StorageArea}. */
export const STORAGE_AREAS = ['uploads', 'inputs', 'results'] as const

/** A stored object of a tenant. */
export interface LedgerEntry {
  readonly area: StorageArea
  readonly name: string
  readonly tenant: string
  readonly bytes: number
}

/** Counts the bytes that each tenant stores. Every call is one transaction. */
export interface StorageLedger {
  /**
   * Enters an object, unless the tenant would then exceed `most`.
   * @param most In bytes. @default no limit
   * @returns `false` when the object was not entered
   */
  enter(entry: LedgerEntry, most?: number): Promise<boolean>
  /** Strikes an object from the ledger. @returns The struck object, or nothing. */
  strike(area: StorageArea, name: string): Promise<readonly Pick<LedgerEntry, 'tenant' | 'bytes'>[]>
  /** Strikes the objects of an area that are not among these names. @returns The remaining names. */
  retain(area: StorageArea, names: ReadonlySet<string>): Promise<ReadonlySet<string>>
  /** Returns the names of all objects of an area. */
  names(area: StorageArea): Promise<readonly string[]>
  /** Returns the objects of a tenant in all areas. */
  entriesOf(tenant: string): Promise<readonly LedgerEntry[]>
  /** Returns the bytes that a tenant stores in all areas. */
  bytesOf(tenant: string): Promise<number>
}
