import type { CheckOptions } from '../checks/index.ts'
import { ProtocolError, TaskFailedError, TaskTimeoutError } from '../errors.ts'
import { type Clock, errorFields, type Redact } from '../transport/index.ts'
import type { Task } from '../wire/index.ts'
import { backoff, growingInterval, isPassing, MAX_POLL_FAILURES, milliseconds, spread } from './poll-pace.ts'
import type { Deadline, Poll, PollScheduler } from './poll-scheduler.ts'

/** The waiter, as a {@link TaskWatch} sees it. */
export interface WatchHost {
  readonly read: (id: string, signal: AbortSignal) => Promise<Task>
  readonly clock: Clock
  readonly random: () => number
  readonly redact: Redact
  /** Checks the options of each wait. */
  readonly checkOptions?: CheckOptions | undefined
  readonly scheduler: PollScheduler
  /** Called when the task has no more waits, or has ended. */
  readonly forget: (watch: TaskWatch) => void
}

/** One task with all its waits, and the reads that serve them. */
export class TaskWatch implements Poll {
  at: number = Infinity
  order = 0
  readonly id: string
  /** As last read. */
  task: Task | undefined
  /** The earliest next read that the server allows. */
  notBefore: number
  readonly #host: WatchHost
  readonly #waits = new Set<Wait>()
  /** The server's interval in milliseconds, or 0. */
  #interval = 0
  #reads = 0
  #failures = 0
  #reading: AbortController | undefined
  #notified = false

  constructor(id: string, notBefore: number, host: WatchHost) {
    this.id = id
    this.notBefore = notBefore
    this.#host = host
  }

  /** Adds a wait for this task. */
  join(options: WaitOptions): Wait {
    const { scheduler, clock } = this.#host
    const wait = new Wait(this, options)
    this.#waits.add(wait)
    const now = clock.now()
    if (this.#reads === 0 && this.#failures === 0 && this.#reading === undefined) {
      const min = milliseconds(options.notBefore)
      const isLater = min > 0 && now + min > this.notBefore
      this.#interval = Math.max(this.#interval, min)
      if (isLater) this.notBefore = now + min
      if (isLater || this.at === Infinity) scheduler.poll(this, Math.max(this.notBefore, now))
    }
    if (options.timeout !== undefined) scheduler.expire(wait, now + options.timeout)
    return wait
  }

  /** Reads at once. A read in flight may be too early, so the task is read again after it. */
  notify(): void {
    const now = this.#host.clock.now()
    if (this.#reading !== undefined) this.#notified = true
    else if (this.at > now) this.#host.scheduler.poll(this, now)
  }

  /** Removes a wait. The last wait aborts the read in flight. @returns whether the wait was present */
  release(wait: Wait): boolean {
    if (!this.#waits.delete(wait)) return false
    const { scheduler, forget } = this.#host
    wait.unfollow()
    scheduler.cancelExpire(wait)
    if (this.#waits.size === 0) {
      const reading = this.#reading
      this.#reading = undefined
      scheduler.cancelPoll(this)
      forget(this)
      reading?.abort()
    }
    return true
  }

  /** Ends every wait. */
  fail(reason: unknown): void {
    this.#host.forget(this)
    for (const wait of this.#waits) wait.leave(reason)
  }

  /** One read. */
  async run(): Promise<void> {
    const reading = new AbortController()
    this.#reading = reading
    this.#notified = false
    let settle: () => void
    try {
      const task = checkTask(await this.#host.read(this.id, reading.signal))
      settle = () => this.#take(task)
    } catch (error) {
      settle = () => this.#miss(error)
    }
    // Otherwise no wait needs this response.
    if (this.#reading !== reading) return
    this.#reading = undefined
    settle()
  }

  #take(task: Task): void {
    this.task = task
    this.notBefore = 0
    this.#reads += 1
    this.#failures = 0
    // This happens before the callbacks of callers run. A callback may start a new wait for an ended task.
    if (isTerminal(task)) this.#host.forget(this)
    else this.#planNext(task)
    for (const wait of Array.from(this.#waits)) {
      // The callback of one caller may have ended the wait of another.
      if (this.#waits.has(wait)) wait.update(task)
      if (task.status === 'SUCCESS') wait.succeed(task)
      if (task.status === 'FAILED') {
        wait.leave(new TaskFailedError(task, errorFields(task.error, this.#host.redact)))
      }
    }
  }

  #planNext(task: Task): void {
    this.#interval = milliseconds(task.retry_after)
    const shortest = Math.min(...[...this.#waits].map(({ options }) => options.pollInterval ?? Infinity))
    const own = shortest === Infinity ? growingInterval(this.#reads) : shortest
    this.#plan(this.#interval, spread(this.#interval || own, this.#host.random()))
  }

  /** The server's interval applies after a failure too, even for a later wait. */
  #miss(error: unknown): void {
    if (!isPassing(error)) return this.fail(error)
    const { random, clock } = this.#host
    const min = Math.max(this.#interval, milliseconds(Reflect.get(error, 'retryAfter')))
    this.#failures += 1
    if (this.#failures < MAX_POLL_FAILURES) {
      return this.#plan(min, Math.max(spread(min, random()), backoff(this.#failures, random())))
    }
    this.notBefore = clock.now() + min
    this.fail(error)
  }

  #plan(min: number, delay: number): void {
    const { clock, scheduler } = this.#host
    const now = clock.now()
    this.notBefore = now + min
    scheduler.poll(this, this.#notified ? now : now + delay)
  }
}

/** One wait of one caller, with its promise, deadline and signal. */
export class Wait implements Deadline {
  at: number = Infinity
  order = 0
  readonly options: WaitOptions
  readonly #watch: TaskWatch
  readonly #end = Promise.withResolvers<Task>()

  constructor(watch: TaskWatch, options: WaitOptions) {
    this.#watch = watch
    this.options = options
    options.signal?.addEventListener('abort', this.#abort, { once: true })
  }

  /** The promise of the caller. */
  get result(): Promise<Task> {
    return this.#end.promise
  }

  /** The deadline passed. */
  run(): void {
    this.leave(new TaskTimeoutError(this.#watch.id, this.options.timeout ?? Infinity, this.#watch.task))
  }

  /** Ends only this wait. Does nothing after its end. @param reason absent if no caller reads the result */
  leave(reason?: unknown): void {
    if (this.#watch.release(this)) this.#end.reject(reason)
  }

  /** Reports a read to the caller. */
  update(task: Task): void {
    try {
      this.options.onUpdate?.(task)
    } catch (error) {
      this.leave(error)
    }
  }

  /** The task succeeded. */
  succeed(task: Task): void {
    if (this.#watch.release(this)) this.#end.resolve(task)
  }

  /** Removes the listener from the caller's signal. */
  unfollow(): void {
    this.options.signal?.removeEventListener('abort', this.#abort)
  }

  readonly #abort = (): void => this.leave(this.options.signal?.reason)
}

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

/**
 * Whether a task has ended (interface: "`SUCCESS` and `FAILED` are terminal"). With any other status the task continues.
 */
export function isTerminal(task: Task): boolean {
  return task.status === 'SUCCESS' || task.status === 'FAILED'
}

/**
 * Checks that a response has a status, as a task must.
 * @throws ProtocolError otherwise
 */
export function checkTask(task: Task): Task {
  // The service may answer anything.
  const { status }: { status?: unknown } = new Object(task)
  if (typeof status !== 'string') throw new ProtocolError('The task has no status')
  return task
}
