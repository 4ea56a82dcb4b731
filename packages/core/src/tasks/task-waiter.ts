import type { CheckOptions } from '../checks/index.ts'
import { cancellable, type Clock, type Redact } from '../transport/index.ts'
import type { Task } from '../wire/index.ts'
import { PollScheduler } from './poll-scheduler.ts'
import { TaskWatch, type Wait, type WaitOptions, type WatchHost } from './task-watch.ts'

/** Options of {@link TaskWaiter}. */
export interface TaskWaiterOptions {
  /** Checks the options of each wait. @default none */
  readonly checkOptions?: CheckOptions | undefined
  /**
   * Reads a task with one request, without retries. It closes the connection when the signal aborts. It must have a
   * deadline: a read that never settles counts as in flight forever.
   */
  readonly read: (id: string, signal: AbortSignal) => Promise<Task>
  readonly clock: Clock
  /** Returns a number from 0 (inclusive) to 1 (exclusive). @default Math.random */
  readonly random?: () => number
  /** Maximum reads in flight, for all waits together. @default 32 */
  readonly maxConcurrentPolls?: number
  /** Removes secrets from texts of the service. @default none */
  readonly redact?: Redact
}

/** The outcome of one of several waits: the task, or the error of its wait. */
export type TaskOutcome =
  | {
      /** Id of the task. */
      readonly id: string
      /** The task in its terminal state. */
      readonly task: Task
      /** Absent. */
      readonly error?: undefined
    }
  | {
      /** Id of the task. */
      readonly id: string
      /** Absent. */
      readonly task?: undefined
      /** Why the wait ended. */
      readonly error: unknown
    }

/** State shared by a waiter and the waiters derived from it. */
interface Shared {
  /** Waiters with at least one wait. */
  readonly active: Set<TaskWaiter>
  readonly retryAfter: RetryAfterCache
  readonly scheduler: PollScheduler
}

/**
 * Waits for tasks (interface: States and transitions). All waits of a client share one scheduler. It reads a task once
 * for all waits, never sooner than the server's `retry_after`. It limits the reads in flight. One timer runs during
 * waits, and none otherwise.
 *
 * A read that fails with 408, 429, 5xx or an incomplete response is retried after a growing delay, or after the server's
 * `Retry-After`. Ten such failures in a row end the wait with the last error. Any other error ends the wait at once.
 */
export class TaskWaiter {
  readonly #host: WatchHost
  readonly #watches = new Map<string, TaskWatch>()
  readonly #parent: TaskWaiter | undefined
  readonly #shared: Shared

  /**
   * @param parent A waiter that shares its scheduler and its notifications. Its `maxConcurrentPolls` applies.
   */
  constructor({ maxConcurrentPolls = 32, ...options }: TaskWaiterOptions, parent?: TaskWaiter) {
    this.#parent = parent
    this.#shared =
      parent === undefined
        ? {
            active: new Set(),
            retryAfter: new RetryAfterCache(),
            scheduler: new PollScheduler(options.clock, maxConcurrentPolls),
          }
        : parent.#shared
    this.#host = {
      random: Math.random,
      redact: (text) => text,
      ...options,
      scheduler: this.#shared.scheduler,
      forget: (watch) => this.#forget(watch),
    }
  }

  /**
   * Waits until a task has ended. The task may come from another process.
   *
   * @returns the task in `SUCCESS`
   * @throws TaskFailedError when it ended in `FAILED`
   * @throws TaskTimeoutError when `timeout` passes; the task continues
   * @throws ConfigurationError for an invalid option
   * @throws ApiError, ConnectionError, TimeoutError, StreamTruncatedError when the task cannot be read
   * @throws ProtocolError when the response is no task
   */
  async wait(id: string, options: WaitOptions = {}): Promise<Task> {
    return this.#join(id, options).result
  }

  /**
   * Waits for several tasks. The first failure rejects as {@link TaskWaiter.wait} does and ends the other waits of this
   * call.
   *
   * @returns The tasks in the order of their ids.
   */
  async waitAll(ids: readonly string[], options: WaitOptions = {}): Promise<Task[]> {
    const waits = ids.map((id) => this.#join(id, options))
    try {
      return await Promise.all(waits.map(({ result }) => result))
    } finally {
      for (const wait of waits) wait.leave()
    }
  }

  /**
   * Waits for several tasks and yields each outcome when its task ends. A failed task is an outcome, not an exception.
   * An abort of `signal` is an exception. The waits begin with the first `next()` and end with the iteration.
   */
  asCompleted(ids: readonly string[], options: WaitOptions = {}): AsyncGenerator<TaskOutcome, void, undefined> {
    const waits: Wait[] = []
    const leave = (): void => {
      for (const wait of waits.splice(0)) wait.leave()
    }
    return cancellable(this.#complete([...ids], options, waits), leave)
  }

  /** Reads a task at once if a wait exists for it. Webhook receivers call it. */
  notify(id: string): void {
    this.#shared.retryAfter.wake(id)
    for (const waiter of this.#shared.active) waiter.#watches.get(id)?.notify()
  }

  /**
   * Ends every wait with this reason, waits of derived waiters included, and aborts the reads in flight. Later waits
   * work.
   */
  close(reason: unknown): void {
    const closed = this.#parent === undefined ? Array.from(this.#shared.active) : [this]
    for (const waiter of closed) for (const watch of Array.from(waiter.#watches.values())) watch.fail(reason)
  }

  async *#complete(
    ids: readonly string[],
    options: WaitOptions,
    waits: Wait[],
  ): AsyncGenerator<TaskOutcome, void, undefined> {
    // Settled one after another, in the order in which the waits end.
    const outcomes = ids.map(() => Promise.withResolvers<TaskOutcome>())
    let ended = 0
    const add = (outcome: TaskOutcome): void => outcomes[ended++]?.resolve(outcome)
    try {
      for (const id of ids) {
        const wait = this.#join(id, options)
        waits.push(wait)
        wait.result.then(
          (task) => add({ id, task }),
          (error: unknown) => add({ id, error }),
        )
      }
      for (const { promise } of outcomes) {
        const outcome = await promise
        options.signal?.throwIfAborted()
        if (waits.length === 0) return
        yield outcome
      }
    } finally {
      for (const wait of waits) wait.leave()
    }
  }

  #join(id: string, options: WaitOptions): Wait {
    this.#host.checkOptions?.(options, 'wait')
    options.signal?.throwIfAborted()
    let watch = this.#watches.get(id)
    if (watch === undefined) {
      watch = new TaskWatch(id, this.#shared.retryAfter.wake(id), this.#host)
      this.#watches.set(id, watch)
      this.#shared.active.add(this)
    }
    return watch.join(options)
  }

  #forget(watch: TaskWatch): void {
    if (this.#watches.get(watch.id) !== watch) return
    this.#watches.delete(watch.id)
    if (this.#watches.size === 0) this.#shared.active.delete(this)
    this.#shared.retryAfter.rest(watch.id, watch.notBefore, this.#host.clock.now())
  }
}

/** Maximum tasks to remember. The oldest are removed first. */
const MAX_TASKS = 10_000

/**
 * The earliest next read of tasks without a wait. A wait that times out and resumes at once must not read sooner than
 * the `retry_after` of the last response.
 */
class RetryAfterCache {
  readonly #moments = new Map<string, number>()

  /** Stores a future moment. */
  rest(id: string, moment: number, now: number): void {
    for (const [oldest, until] of this.#moments) {
      if (until > now && this.#moments.size < MAX_TASKS) break
      this.#moments.delete(oldest)
    }
    if (moment > now) this.#moments.set(id, moment)
  }

  /** Removes a task. @returns its moment, or 0 */
  wake(id: string): number {
    const moment = this.#moments.get(id) ?? 0
    this.#moments.delete(id)
    return moment
  }
}
