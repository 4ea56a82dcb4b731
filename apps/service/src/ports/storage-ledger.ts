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
   * Enters an object, unless the tenant would then exceed `max`.
   * @param max In bytes. @default no limit
   * @returns `false` when the object was not entered
   */
  enter(entry: LedgerEntry, max?: number): Promise<boolean>
  /** Strikes objects from the ledger, with what {@link LedgerByRows.begin} noted of them. @returns The struck objects. */
  strike(area: StorageArea, names: readonly string[]): Promise<readonly Pick<LedgerEntry, 'tenant' | 'bytes'>[]>
  /** Strikes the objects of an area that are not among these names. @returns The remaining names. */
  retain(area: StorageArea, names: ReadonlySet<string>): Promise<ReadonlySet<string>>
  /** Returns the names of all objects of an area. */
  names(area: StorageArea): Promise<readonly string[]>
  /** Returns the objects of a tenant in all areas. */
  entriesOf(tenant: string): Promise<readonly LedgerEntry[]>
  /** Returns the bytes that a tenant stores in all areas. */
  bytesOf(tenant: string): Promise<number>
  /** Present when the rows tell what can be deleted. Without it, the objects must be listed. */
  readonly byRows?: LedgerByRows
}

/** A ledger that knows of each object before it is stored, and when it was entered. Times are milliseconds since 1970. */
export interface LedgerByRows {
  /** Notes that an object is about to be stored. Its entry removes the note. */
  begin(area: StorageArea, name: string): Promise<void>
  /** Finds objects that were begun before this time and never entered. @param limit Maximum names */
  unfinished(area: StorageArea, before: number, limit: number): Promise<readonly string[]>
  /** Finds objects that were entered before this time and that no other row names. @param limit Maximum names */
  unneeded(area: StorageArea, before: number, limit: number): Promise<readonly string[]>
}
