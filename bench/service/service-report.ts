/** Requests received by a {@link Service}. */
export interface ServiceReport {
  readonly requests: number
  /** Opened connections. */
  readonly sockets: number
  /** Polls of a task before the `retry_after` of its previous response had passed. */
  readonly earlyReads: number
  /** Tasks that were polled to their end. */
  readonly finishedTasks: number
}
