/** What tenants store. */
export type StorageArea = 'uploads' | 'inputs' | 'results'

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
   * Enters an object, unless its tenant would then store more than `most`.
   * @param most In bytes. @default no limit
   * @returns `false` when it was not entered
   */
  enter(entry: LedgerEntry, most?: number): Promise<boolean>
  /** Strikes an object out. */
  strike(area: StorageArea, name: string): Promise<void>
  /** Strikes out the objects of an area that are not among these names. @returns The names that are left. */
  retain(area: StorageArea, names: ReadonlySet<string>): Promise<ReadonlySet<string>>
  /** What a tenant stores in all areas, in bytes. */
  bytesOf(tenant: string): Promise<number>
}
