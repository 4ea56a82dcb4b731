import { checkTimeout } from '../transport/settings.ts'
import type { Task } from '../wire/tasks.ts'

/** What a caller sets for one wait. */
export interface WaitOptions {
  /** Ends the wait at any time, also between two reads. It rejects with the signal's own reason; the task goes on. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the whole wait. The task goes on, and another wait takes it up again. @default none */
  readonly timeout?: number | undefined
  /**
   * Milliseconds between two reads, for a server that names no `retry_after`; where it does, that counts. Of waits for
   * the same task the shortest holds. @default 500, growing by half up to 10000
   */
  readonly pollInterval?: number
  /**
   * Called with the task after each read, the last one included, before the wait settles. What it throws ends this wait
   * with that error, and no other.
   */
  readonly onUpdate?: (task: Task) => void
  /**
   * Seconds before the first read: the `retry_after` of the answer that created the task. It counts only while the task
   * has not been read. @default 0
   */
  readonly notBefore?: number | undefined
}

/** @throws ConfigurationError naming the option */
export function checkWaitOptions({ timeout, pollInterval }: WaitOptions): void {
  checkTimeout(timeout)
  checkTimeout(pollInterval, 'pollInterval', Number.MAX_VALUE)
}
