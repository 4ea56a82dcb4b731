/** How far a response has been read. */
export interface ReadProgress {
  /** Number of reads of the body. */
  reads: number
  /** Whether a reader waits for the next chunk. */
  reading: boolean
}
