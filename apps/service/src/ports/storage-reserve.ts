/**
 * Disk space that is held for the work that frees space. A full disk would otherwise stop deletes too: SQLite needs
 * room to delete.
 */
export interface StorageReserve {
  /** Whether all of the reserve is held. */
  readonly whole: boolean
  /**
   * Makes sure that the reserve is whole, for before something is accepted that takes up space.
   * @throws StorageFullError when the reserve is spent and the disk has no room to refill it
   */
  requireWhole(): Promise<void>
  /**
   * Runs work that frees space. When it finds no room, the reserve is released, the work runs once more, and the reserve
   * is refilled as far as there is room.
   * @param work It is safe to run it again after it found no room.
   * @throws What `work` throws
   */
  use<T>(work: () => Promise<T>): Promise<T>
  /** Fills the reserve where there is room again. Never throws for want of room. */
  refill(): Promise<void>
}
