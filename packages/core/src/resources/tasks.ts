import type { TaskOutcome, TaskWaiter, WaitOptions } from '../tasks/index.ts'
import type { Call, CallOptions } from '../transport/index.ts'
import type { Task } from '../wire/index.ts'
import { Resource } from './resource.ts'
import { cancelTask, retrieveTask, waiterOf } from './task-handle.ts'

/** Tasks of every kind (interface: `GET /v1/audio/tasks/{task_id}`). */
export class TasksResource extends Resource {
  get #waiter(): TaskWaiter {
    return waiterOf(this.context)
  }

  /** Reads the current state of the task. */
  retrieve(id: string, options?: CallOptions): Call<Task> {
    return retrieveTask(this.context.api, id, options)
  }

  /**
   * Cancels a task. It ends as `FAILED`. A task that has ended stays as it is. Not part of the interface: the
   * self-hosted service offers it.
   * @returns the task
   * @throws ApiError 404 or 405 when the service does not offer it
   */
  cancel(id: string, options?: CallOptions): Call<Task> {
    return cancelTask(this.context, id, options)
  }

  /**
   * Waits until a task has ended. It needs only the id, so another process can resume a wait.
   * @returns the task in `SUCCESS`, with the fields of its result at the top level
   * @throws TaskFailedError with the error of the service
   * @throws TaskTimeoutError when the deadline passes; it has the id, and the task continues
   */
  wait(id: string, options?: WaitOptions): Promise<Task> {
    return this.#waiter.wait(id, options)
  }

  /**
   * Waits for several tasks. The first failure rejects and ends the other waits.
   * @returns the tasks in the order of `ids`
   */
  waitAll(ids: readonly string[], options?: WaitOptions): Promise<Task[]> {
    return this.#waiter.waitAll(ids, options)
  }

  /** Yields tasks in the order in which they end, failed tasks too. Leaving the iteration ends the waits. */
  asCompleted(ids: Iterable<string>, options?: WaitOptions): AsyncGenerator<TaskOutcome, void, undefined> {
    return this.#waiter.asCompleted([...ids], options)
  }

  /** Reads a task at once if a wait exists for it. Webhook receivers call it. */
  notify(id: string): void {
    this.#waiter.notify(id)
  }

  /** Ends every wait with this reason, e.g. when a server shuts down. The tasks continue. Later waits work. */
  endWaits(reason: unknown): void {
    this.#waiter.close(reason)
  }
}
