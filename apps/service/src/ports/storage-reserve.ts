/** Disk space reserved for deletes. Without it, a full disk would stop deletes too: SQLite needs room to delete. */
export interface StorageReserve {
  /** Whether the reserve is complete. */
  readonly whole: boolean
  /**
   * Requires a complete reserve. Call it before accepting anything that takes up space.
   * @throws StorageFullError when the reserve is incomplete and the disk has no room to refill it
   */
  requireWhole(): Promise<void>
  /**
   * Runs work that frees space. If the work finds no room, the reserve is released, the work runs once more, and the
   * reserve is refilled as far as possible.
   * @param work Must be safe to run a second time.
   * @throws What `work` throws
   */
  use<T>(work: () => Promise<T>): Promise<T>
  /** Refills the reserve as far as possible. Never throws for lack of room. */
  refill(): Promise<void>
}
