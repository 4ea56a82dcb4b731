import { TaskTimeoutError } from '../errors/task-errors.ts'
import type { Task } from '../wire/tasks.ts'
import type { Deadline } from './poll-scheduler.ts'
import type { WaitOptions } from './wait-options.ts'

/** Reads a task for its waits. */
export interface WaitOwner {
  /** Id of the task. */
  readonly id: string
  /** The task as last read. */
  readonly task: Task | undefined
  /** Removes a wait. @returns false if the wait has ended before */
  release(wait: Wait): boolean
}

/** One wait of one caller, with its promise, deadline and signal. */
export class Wait implements Deadline {
  at: number = Infinity
  order = 0
  readonly options: WaitOptions
  readonly #owner: WaitOwner
  readonly #end = Promise.withResolvers<Task>()

  constructor(owner: WaitOwner, options: WaitOptions) {
    this.#owner = owner
    this.options = options
    options.signal?.addEventListener('abort', this.#abort, { once: true })
  }

  /** The promise of the caller. */
  get result(): Promise<Task> {
    return this.#end.promise
  }

  /** The deadline passed. */
  run(): void {
    this.leave(new TaskTimeoutError(this.#owner.id, this.options.timeout ?? Infinity, this.#owner.task))
  }

  /** Ends only this wait. Does nothing after its end. @param reason absent if no caller reads the result */
  leave(reason?: unknown): void {
    if (this.#owner.release(this)) this.#end.reject(reason)
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
    if (this.#owner.release(this)) this.#end.resolve(task)
  }

  /** Removes the listener from the caller's signal. */
  unfollow(): void {
    this.options.signal?.removeEventListener('abort', this.#abort)
  }

  readonly #abort = (): void => this.leave(this.options.signal?.reason)
}
