import type { Task } from '@svc-audio/core/pure'
import type { IDataObject } from 'n8n-workflow'
import { outputJson } from '../SvcAudio/operations/output-json.ts'

/** Longest id that is asked for. */
const MAX_ID_LENGTH = 200

/** Stands for the status of a task that the service no longer has. */
export const GONE = 'GONE'

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
  return outputJson(task)
}

/** A task that the service no longer has, as the workflow gets it. */
export function goneTask(id: string): IDataObject {
  return { id, status: GONE, error: { code: 'task_not_found', message: 'The service no longer has this task' } }
}
