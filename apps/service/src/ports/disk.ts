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

/** Whether data can be stored: `full` without space or free inodes, `failing` when a write fails or hangs. */
export type StorageState = 'ok' | 'full' | 'failing'

/** Watches the disk of the stores. */
export interface StorageHealth {
  /** Writes and syncs a small file, at most once every few seconds. Never throws. */
  check(): Promise<StorageState>
}

/** Space for temporary files: uploads and fetched audio in flight. Nobody needs them after a crash. */
export interface ScratchSpace {
  /** Provides a path for one file of `use`, and removes the file when `use` ends. */
  withPath<T>(use: (path: string) => Promise<T>): Promise<T>
  /**
   * Writes a source to a file, and provides readers of it while `use` runs.
   * @throws What the source or the disk throws; what `use` throws
   */
  withCopy<T>(source: AsyncIterable<Uint8Array>, use: (read: () => AsyncIterable<Uint8Array>) => Promise<T>): Promise<T>
  /** Removes all files. Call it only while nobody else uses the space. */
  clear(): Promise<void>
}
