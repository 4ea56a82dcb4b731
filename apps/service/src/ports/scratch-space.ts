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
