import type { Task } from '../wire/tasks.ts'

/** Options of one wait. */
export interface WaitOptions {
  /** Ends the wait at any time, also between two reads. The wait rejects with the signal's reason. The task continues. */
  readonly signal?: AbortSignal | undefined
  /** Deadline of the whole wait, in milliseconds. The task continues, and a new wait can resume. @default none */
  readonly timeout?: number | undefined
  /**
   * Milliseconds between two reads. `retry_after` of the server overrides it. Of all waits for the same task, the
   * shortest interval applies.
   * @default 500, growing by half up to 10000
   */
  readonly pollInterval?: number
  /**
   * Called with the task after each read, also the last one, before the wait settles. If it throws, this wait rejects
   * with that error. Other waits continue.
   */
  readonly onUpdate?: (task: Task) => void
  /**
   * Seconds before the first read: the `retry_after` of the response that created the task. Ignored once the task has
   * been read.
   * @default 0
   */
  readonly notBefore?: number | undefined
}
