import { createFetchClient } from '@svc-audio/core/fetch'
import { ConnectionError, type PureAudioClient, type Task } from '@svc-audio/core/pure'
import { type ExchangeLog, recordingFetch } from '../inspector/exchange.ts'
import type { ErrorResponse } from '../../shared/api.ts'
import { checkConnection, connection } from '../shell/connection.ts'

/**
 * Creates the client of a panel: the client of this repository, over `fetch`, to the playground's server. That server
 * replaces the key. It does not retry: the page shows each failure.
 * @param log Receives every request, for the inspector.
 */
export function createPanelClient(log: ExchangeLog): PureAudioClient {
  return createFetchClient({
    apiKey: 'the-server-has-it',
    baseUrl: `${location.origin}/api`,
    fetch: recordingFetch(log),
    maxRetries: 0,
  })
}

/** Reads the service's audio to its end. @throws errors of the client when the audio is cut */
export async function blobOf(audio: Awaited<ReturnType<PureAudioClient['speech']['create']>>): Promise<Blob> {
  return new Blob([await audio.bytes()], { type: audio.contentType })
}

/**
 * The address of a result for this page. The service names the playground by its number; the page may use its name. A
 * result of another service comes through the page's server: a browser refuses the page to read it.
 */
export function resultAddress(url: string): string {
  const { href, pathname, search } = new URL(url, location.href)
  const { address } = connection.get()
  if (address !== undefined && href.startsWith(`${address}/v1/`)) return `/api${href.slice(address.length)}`
  return pathname.startsWith('/api/v1/') ? pathname + search : url
}

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

/** Waits for a task. The first read is not repeated, as a wait repeats its reads: a failure shows at once. */
export async function endedTask(client: PureAudioClient, id: string, signal?: AbortSignal): Promise<Task> {
  const task = await client.tasks.retrieve(id, { signal })
  return task.status === 'SUCCESS' ? task : client.tasks.wait(id, { signal })
}

/**
 * Loads audio of an earlier visit: from this browser, or from the task that made it.
 * @throws errors of the client, e.g. for a task that the service has deleted
 */
export async function loadMade(client: PureAudioClient, id: string, signal?: AbortSignal): Promise<Blob> {
  const stored = await storedAudio(id)
  if (stored !== undefined) return stored
  if (isLocal(id)) throw new Error('This audio is no longer in the storage of the browser')
  const url = textField(await endedTask(client, id, signal), 'url')
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

/** Audio of this browser: recordings and files that no task of the service has. Its cache survives a reload. */
const CACHE = 'svc-audio'

/** Largest audio that survives a reload, in bytes. */
const MAX_BYTES = 100_000_000

/** What this visit has stored or read. A browser may have no cache, e.g. in a private window. */
const memory = new Map<string, Blob>()

/**
 * Stores audio under an id.
 * @returns whether it survives a reload. Without room, it lasts as long as the page.
 */
export async function storeAudio(id: string, audio: Blob): Promise<boolean> {
  memory.set(id, audio)
  if (audio.size > MAX_BYTES) return false
  const stored = await withCache(async (cache) => {
    await cache.put(keyOf(id), new Response(audio))
    return true
  })
  return stored === true
}

/** Reads stored audio. @returns `undefined` when there is none */
export async function storedAudio(id: string): Promise<Blob | undefined> {
  const known = memory.get(id)
  if (known !== undefined) return known
  const response = await withCache((cache) => cache.match(keyOf(id)))
  const audio = await response?.blob()
  if (audio !== undefined) memory.set(id, audio)
  return audio
}

/** Removes stored audio. */
export async function removeAudio(id: string): Promise<void> {
  memory.delete(id)
  await withCache((cache) => cache.delete(keyOf(id)))
}

/** Forgets what this visit has stored and read, as a reload does. The cache of the browser stays. */
export function forgetVisit(): void {
  memory.clear()
}

async function withCache<T>(use: (cache: Cache) => Promise<T>): Promise<T | undefined> {
  try {
    return await use(await caches.open(CACHE))
  } catch {
    // A browser without a cache, or without room: the memory has the audio.
    return undefined
  }
}

function keyOf(id: string): string {
  return `/stored-audio/${encodeURIComponent(id)}`
}

/**
 * Calls the playground's own server. Page and server are one build, so the type of the response is not checked.
 * @param send Sends the request, and shows it in the inspector.
 * @throws ConnectionError when it does not answer; Error with its message when it refuses; the signal's reason
 */
export async function ask<T>(send: typeof fetch, path: string, init: RequestInit): Promise<T> {
  const response = await send(path, init).catch((error: unknown) => {
    init.signal?.throwIfAborted()
    void checkConnection()
    throw new ConnectionError('The playground does not answer', { cause: error })
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  if (response.ok) return (await response.json()) as T
  throw new Error(await messageOf(response))
}

async function messageOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- looked at field by field
    const answer = JSON.parse(text) as Partial<ErrorResponse> | null
    if (typeof answer?.error?.message === 'string') return answer.error.message
  } catch {
    // Not JSON: the generic message follows.
  }
  return `The playground answered with status ${response.status}`
}
