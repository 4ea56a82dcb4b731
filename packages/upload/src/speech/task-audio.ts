import { type AudioBody, type CallOptions, type PureAudioClient, type SpeechTask, SvcAudioError } from '@svc-audio/core'
import { AudioGatewayError } from '../errors.ts'
import { callback, clientWith, optional, perRequest } from '../option-rules.ts'
import { type OptionRules, type PerRequest, resultCheck, valueFor } from '../options.ts'
import type { RelayHeaders } from '../server/response.ts'
import { CALL_RULES, type CallHandlerOptions } from './speak-options.ts'

/** Options of a handler that serves the audio of a finished task. */
export interface PlayResultHandlerOptions<Context> extends CallHandlerOptions {
  /** An `AudioClient`, or a function of the request, e.g. for a key per tenant. Close it yourself. */
  readonly client: PerRequest<PureAudioClient, Context>
  /**
   * Id of the task whose audio is served. Check that it belongs to the caller: a key sees all tasks of its account.
   * @default the route's parameter `id`, in a framework that has parameters
   */
  readonly task?: (context: Context) => string | Promise<string>
}

/** The audio of a task, and the head of its response. */
export interface TaskAudio {
  /** The audio, or the requested part. */
  readonly audio: AudioBody
  /** 200, or 206 for a part. */
  readonly status: number
  /** `content-range` and the like, and `cache-control`: unlike streamed speech, a file does not change. */
  readonly headers: RelayHeaders
}

/** One request of a handler that serves audio. */
export interface TaskAudioRequest<Context> {
  /** Argument of options that are functions. */
  readonly context: Context
  /** Options of the call: signal, deadline and retries. */
  readonly options: CallOptions
  /** A header of the request, by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Task id without the option `task`. */
  readonly taskId: (context: Context) => string
}

/** The rules of {@link PlayResultHandlerOptions}. */
export const PLAY_RESULT_RULES: OptionRules = {
  ...CALL_RULES,
  client: perRequest(clientWith('tasks')),
  task: optional(callback),
}

/** Request headers for a part of a file, and the response's headers. */
const ASKED = ['range', 'if-range'] as const
const ANSWERED = ['content-range', 'accept-ranges', 'etag', 'last-modified'] as const

const checkClient = resultCheck('client', PLAY_RESULT_RULES)

/**
 * Opens the audio of a finished task, with `Range`.
 *
 * @throws AudioGatewayError 404 `audio_not_found`, 409 `audio_not_ready`, 416 `range_not_satisfiable`
 * @throws the errors of the client
 */
export async function openTaskAudio<Context>(
  { client: clientOption, task: idOf }: PlayResultHandlerOptions<Context>,
  { context, options, header, taskId }: TaskAudioRequest<Context>,
): Promise<TaskAudio> {
  const client = await valueFor(clientOption, context, checkClient)
  const task = await finishedTask(client, await (idOf ?? taskId)(context), options)
  try {
    const call = client.download(task, { ...options, headers: picked(ASKED, header) })
    const { data: audio, status, headers } = await call.withResponse()
    const answered = picked(ANSWERED, (name) => headers[name])
    return { audio, status, headers: { ...answered, 'cache-control': 'private, no-transform' } }
  } catch (error) {
    throw hasStatus(error, 416) ? failure(416, 'range_not_satisfiable', 'The audio has no such range', error) : error
  }
}

async function finishedTask(client: PureAudioClient, id: string, options: CallOptions): Promise<SpeechTask> {
  const task = await client.tasks.retrieve(id, options).catch((error: unknown) => {
    throw hasStatus(error, 404) ? failure(404, 'audio_not_found', 'There is no such audio', error) : error
  })
  if (task.status === 'SUCCESS') return task
  if (task.status === 'FAILED') throw failure(404, 'audio_not_found', 'The audio could not be made')
  const seconds = Math.max(1, Math.ceil(task.retry_after ?? 1))
  const notReady = { status: 409, code: 'audio_not_ready', message: 'The audio is not ready yet' }
  throw new AudioGatewayError({ ...notReady, retryAfterSeconds: seconds })
}

function picked(names: readonly string[], valueOf: (name: string) => string | undefined): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of names) {
    const value = valueOf(name)
    if (typeof value === 'string') found[name] = value
  }
  return found
}

function hasStatus(error: unknown, status: number): boolean {
  return SvcAudioError.isInstance(error) && 'status' in error && error.status === status
}

function failure(status: number, code: string, message: string, cause?: unknown): AudioGatewayError {
  return new AudioGatewayError({ status, code, message }, cause)
}
