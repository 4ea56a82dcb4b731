/** Whether data can be stored: `full` without space or free inodes, `failing` when a write fails or hangs. */
export type StorageState = 'ok' | 'full' | 'failing'

/** Watches the disk of the stores. */
export interface StorageHealth {
  /** Writes and syncs a small file, at most once every few seconds. Never throws. */
  check(): Promise<StorageState>
}
