/** What tenants keep here. */
export type StorageArea = 'uploads' | 'inputs' | 'results'

/** An object that a tenant keeps. */
export interface LedgerEntry {
  readonly area: StorageArea
  readonly name: string
  readonly tenant: string
  readonly bytes: number
}

/** Who keeps how much. Every call is one transaction. */
export interface StorageLedger {
  /**
   * Enters an object, unless its tenant would then keep more than this.
   * @param most In bytes. @default no limit
   * @returns `false` when it was not entered
   */
  enter(entry: LedgerEntry, most?: number): Promise<boolean>
  /** Strikes an object out. */
  strike(area: StorageArea, name: string): Promise<void>
  /** Strikes out everything of an area that is not among these names. @returns What is left. */
  retain(area: StorageArea, names: ReadonlySet<string>): Promise<ReadonlySet<string>>
  /** What a tenant keeps in all, in bytes. */
  bytesOf(tenant: string): Promise<number>
}
