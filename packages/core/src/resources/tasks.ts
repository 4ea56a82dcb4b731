import type { TaskOutcome, TaskWaiter } from '../tasks/task-waiter.ts'
import type { WaitOptions } from '../tasks/wait-options.ts'
import type { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { Task } from '../wire/tasks.ts'
import type { ClientContext } from './context.ts'
import { retrieveTask } from './retrieve-task.ts'

/** Tasks of every kind (interface: `GET /v1/audio/tasks/{task_id}`). */
export class TasksResource {
  readonly #context: ClientContext

  constructor(context: ClientContext) {
    this.#context = context
  }

  get #waiter(): TaskWaiter {
    return this.#context.waiter
  }

  /** The task as it stands. */
  retrieve(id: string, options?: CallOptions): Call<Task> {
    return retrieveTask(this.#context.api, id, options)
  }

  /**
   * Waits until a task is over. It needs nothing but the id, so a wait can be taken up again in another process.
   * @returns The task in `SUCCESS`, with its result's fields at the top level.
   * @throws TaskFailedError with the service's own error
   * @throws TaskTimeoutError when it took too long; it carries the id, and the task goes on
   */
  wait(id: string, options?: WaitOptions): Promise<Task> {
    return this.#waiter.wait(id, options)
  }

  /** Waits for several tasks. The first that fails rejects, and the other waits end. @returns In the order of `ids`. */
  waitAll(ids: readonly string[], options?: WaitOptions): Promise<Task[]> {
    return this.#waiter.waitAll(ids, options)
  }

  /** Several tasks in the order in which they end, failed ones too. Leaving the iteration ends the waits. */
  asCompleted(ids: Iterable<string>, options?: WaitOptions): AsyncGenerator<TaskOutcome, void, undefined> {
    return this.#waiter.asCompleted([...ids], options)
  }

  /** Says that there is news of a task, so that a wait for it asks at once. Webhook receivers call it. */
  notify(id: string): void {
    this.#waiter.notify(id)
  }

  /**
   * Ends every wait in flight with this reason, e.g. when a server shuts down. The tasks go on, and a later wait for them
   * starts again.
   */
  endWaits(reason: unknown): void {
    this.#waiter.close(reason)
  }
}
