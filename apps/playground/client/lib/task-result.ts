import type { PureAudioClient, Task } from '@svc-audio/core/pure'
import { resultAddress } from './client.ts'
import { storedAudio } from './audio-store.ts'

/** A text of a task's result. The interface does not document the fields of a result. */
export function textField(task: Task, name: string): string | undefined {
  const value: unknown = Reflect.get(task, name)
  return typeof value === 'string' ? value : undefined
}

/** Loads the audio of a result. @throws Error with the status of a refusal */
export async function loadResult(url: string, signal?: AbortSignal): Promise<Blob> {
  const response = await fetch(resultAddress(url), signal === undefined ? {} : { signal })
  if (!response.ok) throw new Error(`The result cannot be loaded: status ${response.status}`)
  return response.blob()
}

/**
 * Loads audio of an earlier visit: from this browser, or from the task that made it.
 * @throws errors of the client, e.g. for a task that the service has deleted
 */
export async function loadMade(client: PureAudioClient, id: string, signal?: AbortSignal): Promise<Blob> {
  const stored = await storedAudio(id)
  if (stored !== undefined) return stored
  if (isLocal(id)) throw new Error('This audio is no longer in the storage of the browser')
  const task = await client.tasks.wait(id, signal === undefined ? {} : { signal })
  const url = textField(task, 'url')
  if (url === undefined) throw new Error(`The task ${id} has no audio`)
  return loadResult(url, signal)
}

/** An id for work that no task of the service has. */
export function localId(): string {
  return `local-${crypto.randomUUID()}`
}

/** Whether an id is of this browser, not of a task. */
export function isLocal(id: string): boolean {
  return id.startsWith('local-')
}

/** The address of work in a panel, for other people who use the same service. */
export function shareAddress(panel: 'speak' | 'transcribe', id: string): string {
  return `${location.origin}/${panel}?task=${encodeURIComponent(id)}`
}
