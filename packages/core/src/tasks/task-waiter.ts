import { cancellable } from '../transport/cancellable.ts'
import type { Redact } from '../transport/key-source.ts'
import { checkWhole } from '../transport/settings.ts'
import type { Clock } from '../transport/transport.ts'
import type { Task } from '../wire/tasks.ts'
import { PollScheduler } from './poll-scheduler.ts'
import { RetryAfterCache } from './retry-after-cache.ts'
import { TaskWatch, type WatchHost } from './task-watch.ts'
import type { Wait } from './wait.ts'
import { checkWaitOptions, type WaitOptions } from './wait-options.ts'

/** What a {@link TaskWaiter} needs. */
export interface TaskWaiterOptions {
  /**
   * Reads a task with one request: it does not try again, frees the connection when the signal aborts, and has a
   * deadline of its own, since a read that never settles keeps its place among those in flight.
   */
  readonly read: (id: string, signal: AbortSignal) => Promise<Task>
  readonly clock: Clock
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number
  /** Most reads in flight, of all waits together. @default 32 */
  readonly maxConcurrentPolls?: number
  /** Takes secrets out of the service's text before it becomes a message. @default leaves it as it is */
  readonly redact?: Redact
}

/** How one of several waits ended: with the task, or with what its wait rejected with. */
export type TaskOutcome =
  | { readonly id: string; readonly task: Task; readonly error?: undefined }
  | { readonly id: string; readonly task?: undefined; readonly error: unknown }

/** What a waiter shares with those derived from it. */
interface Shared {
  /** Those that wait for something. */
  readonly active: Set<TaskWaiter>
  readonly retryAfter: RetryAfterCache
  readonly scheduler: PollScheduler
}

/**
 * Waits for tasks (interface: States and transitions). All waits of a client share one scheduler: a task is read once
 * for everybody who waits for it, never sooner than the server's `retry_after`, and only so many reads are in flight at
 * a time. One timer runs while a wait does, none otherwise.
 *
 * A read that fails with 408, 429, 5xx or no complete answer is repeated after a growing delay, or the server's
 * `Retry-After`; ten such failures in a row end the wait with the last of them. Any other error ends it at once.
 */
export class TaskWaiter {
  readonly #host: WatchHost
  readonly #watches = new Map<string, TaskWatch>()
  readonly #parent: TaskWaiter | undefined
  readonly #shared: Shared

  /**
   * @param parent A waiter whose scheduler and news this one shares; `maxConcurrentPolls` is the parent's.
   * @throws ConfigurationError when `maxConcurrentPolls` is not an integer above 0
   */
  constructor({ maxConcurrentPolls = 32, ...options }: TaskWaiterOptions, parent?: TaskWaiter) {
    checkWhole(maxConcurrentPolls, 'maxConcurrentPolls')
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
   * Waits until a task is over. A task that another process created can be waited for like any other.
   *
   * @returns The task, which is in `SUCCESS`.
   * @throws TaskFailedError when it ended in `FAILED`
   * @throws TaskTimeoutError when the wait's `timeout` passed; the task goes on
   * @throws ConfigurationError for an impossible option
   * @throws ApiError, ConnectionError, TimeoutError, StreamTruncatedError when the task cannot be read
   * @throws ProtocolError when the answer is no task
   */
  async wait(id: string, options: WaitOptions = {}): Promise<Task> {
    return this.#join(id, options).result
  }

  /**
   * Waits for several tasks. The first failure rejects as {@link TaskWaiter.wait} does, and the other waits of this call
   * end.
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
   * Waits for several tasks and gives each outcome as it comes. A task that fails is an outcome, not an exception; the
   * abort of `signal` is one. The waits begin with the first `next()`, and end when the iteration is left.
   */
  asCompleted(ids: readonly string[], options: WaitOptions = {}): AsyncGenerator<TaskOutcome, void, undefined> {
    const waits: Wait[] = []
    const leave = (): void => {
      for (const wait of waits.splice(0)) wait.leave()
    }
    return cancellable(this.#complete([...ids], options, waits), leave)
  }

  /** News of a task came, by a webhook: it is read at once, if somebody waits for it. */
  notify(id: string): void {
    this.#shared.retryAfter.wake(id)
    for (const waiter of this.#shared.active) waiter.#watches.get(id)?.notify()
  }

  /** Ends every wait with this reason, those of derived waiters too, and the reads in flight. A later wait starts again. */
  close(reason: unknown): void {
    const closed = this.#parent === undefined ? Array.from(this.#shared.active) : [this]
    for (const waiter of closed) for (const watch of Array.from(waiter.#watches.values())) watch.fail(reason)
  }

  async *#complete(
    ids: readonly string[],
    options: WaitOptions,
    waits: Wait[],
  ): AsyncGenerator<TaskOutcome, void, undefined> {
    // Settled one after another, in whichever order the waits end.
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
    checkWaitOptions(options)
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
