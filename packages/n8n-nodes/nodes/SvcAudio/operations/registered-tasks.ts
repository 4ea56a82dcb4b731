import type { IDataObject, IExecuteFunctions, IPollFunctions } from 'n8n-workflow'

/** Maximum tasks per workflow that wait for their end. */
export const MAX_REGISTERED = 10_000

/** What this process knows of the registered tasks of one workflow. */
interface Memory {
  readonly waiting: Set<string>
  /** Tasks that have ended, so that an older copy of the stored data does not bring them back. */
  readonly ended: Set<string>
}

const memories = new Map<string, Memory>()

/**
 * The tasks that Start Task registered for the polling trigger of the same workflow. n8n stores them with the workflow.
 * Each run and the trigger have their own copy of the stored data and the last copy to be saved wins, so this process
 * remembers the tasks too and adds them to whatever copy is saved.
 */
export class RegisteredTasks {
  readonly #store: IDataObject
  readonly #memory: Memory

  constructor(context: IExecuteFunctions | IPollFunctions) {
    this.#store = context.getWorkflowStaticData('global')
    const key = context.getWorkflow().id ?? ''
    const memory = memories.get(key) ?? { waiting: new Set(), ended: new Set() }
    memories.set(key, memory)
    this.#memory = memory
  }

  /** Ids of the tasks that have not ended yet. */
  get ids(): string[] {
    const { svcAudioTasks: stored } = this.#store
    const { waiting, ended } = this.#memory
    const all = new Set([...(Array.isArray(stored) ? stored.map(String) : []), ...waiting])
    return [...all].filter((id) => !ended.has(id))
  }

  add(id: string): void {
    this.#memory.waiting.add(id)
    this.#memory.ended.delete(id)
    this.#store['svcAudioTasks'] = this.ids
  }

  /** Removes a task that has ended. */
  remove(id: string): void {
    const { waiting, ended } = this.#memory
    if (!this.ids.includes(id)) return
    waiting.delete(id)
    ended.add(id)
    for (const oldest of ended) {
      if (ended.size <= MAX_REGISTERED) break
      ended.delete(oldest)
    }
    this.#store['svcAudioTasks'] = this.ids
  }
}
