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
  /** SHA-256 of the bytes, in hexadecimal. @default unknown */
  readonly sha256?: string | undefined
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
  /** Returns what an object must be. `undefined` for one that is not entered. */
  find(area: StorageArea, name: string): Promise<Pick<LedgerEntry, 'bytes' | 'sha256'> | undefined>
  /** Notes that an object is about to be stored. Its entry removes the note. */
  begin(area: StorageArea, name: string): Promise<void>
  /** Finds objects that were begun before a time and never entered. */
  unfinished(area: StorageArea, query: RowQuery): Promise<RowPage>
  /** Finds objects that were entered before a time and that no other row names. */
  unneeded(area: StorageArea, query: RowQuery): Promise<RowPage>
}

/** Rows of the ledger to read, in an order of their own. */
export interface RowQuery {
  /** Only older rows. Milliseconds since 1970. */
  readonly before: number
  /** Maximum rows. */
  readonly limit: number
  /** The rows behind this one: {@link RowPage.last} of the page before it. @default the first ones */
  readonly after?: RowPosition | undefined
}

/** A place in the order of the rows. */
export interface RowPosition {
  readonly at: number
  readonly name: string
}

/** Some rows of the ledger. */
export interface RowPage {
  /** Names of the objects among them that can be deleted. */
  readonly names: readonly string[]
  /** Number of rows. Fewer than the limit: none follows. */
  readonly read: number
  /** The last row. Unset without one. */
  readonly last?: RowPosition | undefined
}
