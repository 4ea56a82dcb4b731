import type { Task } from '@svc-audio/core/pure'
import type { IDataObject } from 'n8n-workflow'
import { expiryOf } from '../SvcAudio/operations/expiry.ts'

/** Longest id that is asked for. */
const MAX_ID_LENGTH = 200

/** Most ids that are remembered. A service repeats a callback for a day at most. */
const MAX_SEEN = 500

/** The states in which a task has ended (interface: Task states). */
const TERMINAL: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED'])

/**
 * The id of the task that a callback names. Nothing else of the callback is believed: anybody may send one.
 * @returns `undefined` when it names none
 */
export function taskIdOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const ids: unknown[] = [Reflect.get(body, 'task_id'), Reflect.get(body, 'id')]
  return ids.find((id): id is string => typeof id === 'string' && id.trim() !== '' && id.length <= MAX_ID_LENGTH)
}

/** Whether a task has ended. */
export function isFinished({ status }: Task): boolean {
  return TERMINAL.has(status)
}

/** A task as the workflow gets it, with the expiry of its result. */
export function taskJson(task: Task): IDataObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was JSON
  return { ...task, ...expiryOf(Reflect.get(task, 'url')) } as IDataObject
}

/** Ids that have started the workflow, in data that n8n stores with the workflow. */
export class SeenTasks {
  readonly #store: IDataObject

  constructor(store: IDataObject) {
    this.#store = store
  }

  has(id: string): boolean {
    return this.#ids.includes(id)
  }

  /** Remembers an id, and forgets the oldest beyond a limit. */
  add(id: string): void {
    this.#store['seen'] = [...this.#ids.filter((one) => one !== id), id].slice(-MAX_SEEN)
  }

  get #ids(): string[] {
    const { seen } = this.#store
    return Array.isArray(seen) ? seen.map(String) : []
  }
}
