import type { AudioStore } from '@svc-audio/agent-tools'
import { ApiError, type PureAudioClient, SvcAudioError } from '@svc-audio/core'
import type { SpeechServerFailure } from './server-context.ts'

/** What is checked. */
export interface Setup {
  readonly client: PureAudioClient
  /** `undefined` for the first voice of the service. */
  readonly voice_id: string | undefined
  readonly store: AudioStore
  /** Names of the folders in messages. */
  readonly folder: string
}

/** Something that will make calls fail. */
export interface SetupFault {
  /** One line for the operator. */
  readonly message: string
  /** Whether it stays until somebody mends it. A service that does not answer may be up later. */
  readonly lasting: boolean
}

/** Result of {@link checkSetup}. */
export interface SetupReport {
  readonly faults: readonly SetupFault[]
  /** The voice that speaks, if it is known. */
  readonly voice_id: string | undefined
}

/** One try each, so that a start is not held up. */
const CALL = { maxRetries: 0, timeout: 5000 }

/** Tries the folder, the key and the voice. It costs nothing. */
export async function checkSetup({ client, voice_id, store, folder }: Setup): Promise<SetupReport> {
  const faults: SetupFault[] = []
  try {
    await store.ready?.()
  } catch (error) {
    const message = `The folder ${folder} cannot be written (${codeOf(error)}). Choose another with --folder`
    faults.push({ message, lasting: true })
  }
  try {
    const voices: string[] = []
    for await (const { id } of client.voices.list({ limit: 150 }, CALL)) {
      if (id === (voice_id ?? id)) return { faults, voice_id: id }
      voices.push(id)
    }
    const known = voices.length === 0 ? '' : `, e.g. ${voices.slice(0, 5).join(', ')}`
    const missing = voice_id === undefined ? 'no voices' : `no voice ${voice_id}`
    faults.push({ message: `The service has ${missing}. Choose one with --voice${known}`, lasting: true })
  } catch (error) {
    faults.push(serviceFault(error, client.baseUrl))
    if (voice_id === undefined) faults.push({ message: 'No voice is set. Choose one with --voice', lasting: true })
  }
  return { faults, voice_id }
}

function serviceFault(error: unknown, baseUrl: string): SetupFault {
  if (!ApiError.isInstance(error)) {
    const cause = SvcAudioError.isInstance(error) ? error.message : String(error)
    const message = `The service at ${baseUrl} does not answer. Check SVC_AUDIO_BASE_URL, and that it runs: ${cause}`
    return { message, lasting: false }
  }
  const id = error.requestId === undefined ? '' : ` (request ${error.requestId})`
  if (error.status === 401 || error.status === 403) {
    return { message: `The service refuses the key. Check SVC_AUDIO_API_KEY${id}`, lasting: true }
  }
  return { message: `The service at ${baseUrl} cannot list its voices: HTTP ${error.status}${id}`, lasting: false }
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' ? code : String(error)
}

/** A failed call as one line for the operator: tool, code, cause and request id. */
export function failureLine({ tool, error }: SpeechServerFailure): string {
  const { code, requestId, cause, message } = error
  const reason = cause === undefined ? message : chain(cause)
  const id = requestId === undefined ? '' : ` (request ${requestId})`
  return `${tool} failed: ${code}: ${reason.replaceAll(/\s+/g, ' ').slice(0, 500)}${id}`
}

/** Messages of an error and of its causes, e.g. `fetch failed: connect ECONNREFUSED`. */
function chain(error: unknown): string {
  const messages: string[] = []
  let current = error
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    if (!messages.some((one) => one.includes(messageOf(current)))) messages.push(messageOf(current))
    current = current.cause
  }
  return messages.join(': ')
}

function messageOf(error: unknown): string {
  return SvcAudioError.isInstance(error) || error instanceof Error ? error.message : ''
}
