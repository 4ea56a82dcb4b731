import { type PureAudioClient, TaskFailedError } from '@svc-audio/core/pure'
import { failureOf } from '../../lib/failure.ts'
import { createStore, type Store } from '../../lib/store.ts'
import { isEnded, phaseOf, type TaskState } from './task-entry.ts'

const NOTHING: TaskState = {}

/** Reads the states of several tasks until they have ended. */
export class TaskWatcher {
  /** States by the id of the task. */
  readonly states: Store<ReadonlyMap<string, TaskState>> = createStore<ReadonlyMap<string, TaskState>>(new Map())
  readonly #client: PureAudioClient
  readonly #waits = new Map<string, AbortController>()

  constructor(client: PureAudioClient) {
    this.#client = client
  }

  /** The state of a task. */
  of(id: string): TaskState {
    return this.states.get().get(id) ?? NOTHING
  }

  /** Follows a task. Without effect for one that is followed already or has ended. */
  watch(id: string): void {
    if (this.#waits.has(id) || isEnded(phaseOf(this.of(id)))) return
    const controller = new AbortController()
    const { signal } = controller
    this.#waits.set(id, controller)
    this.#client.tasks
      .wait(id, { signal, onUpdate: (task) => this.#set(id, { task }) })
      .catch((error: unknown) => {
        // The last update has shown the failed task.
        if (signal.aborted || TaskFailedError.isInstance(error)) return
        this.#set(id, { ...this.of(id), failure: failureOf(error) })
      })
      .finally(() => {
        if (this.#waits.get(id) === controller) this.#waits.delete(id)
      })
  }

  /** Cancels a task in the service. Its wait then reads the new state. @throws errors of the client */
  async cancel(id: string): Promise<void> {
    this.#set(id, { task: await this.#client.tasks.cancel(id) })
  }

  /** Reads a task at once: its webhook has arrived. */
  notify(id: string): void {
    this.#client.tasks.notify(id)
  }

  /** Ends all waits. The tasks continue. */
  close(): void {
    for (const controller of this.#waits.values()) controller.abort()
    this.#waits.clear()
  }

  #set(id: string, state: TaskState): void {
    this.states.set(new Map(this.states.get()).set(id, state))
  }
}
