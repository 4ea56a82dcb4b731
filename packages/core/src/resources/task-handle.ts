import { TaskTimeoutError } from '../errors/task-errors.ts'
import type { WaitOptions } from '../tasks/wait-options.ts'
import type { Call, CallOptions } from '../transport/call.ts'
import type { Task, TaskCreation } from '../wire/tasks.ts'
import type { ClientContext } from './context.ts'
import { cancelTask } from './cancel-task.ts'
import { retrieveTask } from './retrieve-task.ts'
import { waiterOf } from './waiter-of.ts'

/**
 * A task that the service has accepted. Another process needs only its id: `audio.tasks.wait(id)`.
 *
 * `timeout` and `signal` of the creation also apply to {@link TaskHandle.wait}, unless it gets its own. The deadline
 * covers upload, creation and wait together.
 */
export class TaskHandle<Result extends Task = Task> {
  /** The id to query. */
  readonly id: string
  /** The response to the creation, unchanged. */
  readonly creation: TaskCreation
  readonly #context: ClientContext
  readonly #options: CallOptions
  readonly #start: number

  /** @param start Start of the creation, by the client's clock */
  constructor(creation: TaskCreation, context: ClientContext, options: CallOptions, start: number) {
    this.creation = creation
    // Usually both are equal. The interface says to query `task_id`.
    this.id = creation.task_id ?? creation.id
    this.#context = context
    this.#options = options
    this.#start = start
  }

  /** Reads the current state of the task. */
  retrieve(options?: CallOptions): Call<Result> {
    return retrieveTask(this.#context.api, this.id, options)
  }

  /**
   * Cancels the task. It ends as `FAILED`. A task that has ended stays as it is. Not part of the interface: the
   * self-hosted service offers it.
   * @returns the task
   * @throws ApiError 404 or 405 when the service does not offer it
   */
  cancel(options?: CallOptions): Call<Result> {
    return cancelTask(this.#context, this.id, options)
  }

  /**
   * Waits until the task has ended.
   * @throws TaskFailedError with the error of the service
   * @throws TaskTimeoutError when the deadline passes; it has the id, and the task continues
   */
  async wait(options: WaitOptions = {}): Promise<Result> {
    const { signal = this.#options.signal, timeout = this.#remaining() } = options
    const { retry_after: notBefore } = this.creation
    const task = await waiterOf(this.#context).wait(this.id, { ...options, signal, timeout, notBefore })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the endpoint that made the task names its fields
    return task as Result
  }

  #remaining(): number | undefined {
    const { timeout } = this.#options
    if (timeout === undefined) return undefined
    const left = this.#start + timeout - this.#context.api.clock.now()
    if (left <= 0) throw new TaskTimeoutError(this.id, timeout)
    return left
  }
}
