/** Room for files that nobody needs after a crash: uploads while they are received, audio while it is fetched. */
export interface ScratchSpace {
  /** Lends a path where `use` may write one file, and removes the file when `use` has ended. */
  withPath<T>(use: (path: string) => Promise<T>): Promise<T>
  /** Removes everything: for who has the space for itself. */
  clear(): Promise<void>
}
