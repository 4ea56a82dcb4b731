/** What came in at a {@link Service}. */
export interface ServiceReport {
  readonly requests: number
  /** Connections that were made. */
  readonly sockets: number
  /** Reads of a task that came before its `retry_after` had passed since the answer that named it. */
  readonly earlyReads: number
  /** Tasks that were read until they were over. */
  readonly finishedTasks: number
}
