import { type AudioBody, type CallOptions, type PureAudioClient, type SpeechTask, SvcAudioError } from '@svc-audio/core'
import {
  AudioGatewayError,
  checkOptions,
  optionRules,
  type OptionRules,
  type PerRequest,
  type RelayHeaders,
  sendAudio,
  resultCheck,
  valueFor,
} from '@svc-audio/upload'
import type { Request, RequestHandler, Response } from 'express'
import { CALL_RULES, type CallHandlerOptions, resourceHandler } from './answer-audio.ts'

/** Options of {@link playResult}. */
export interface PlayResultOptions extends CallHandlerOptions {
  /** An `AudioClient`, or a function of the request, e.g. for a key per tenant. Close it yourself. */
  readonly client: PerRequest<PureAudioClient, Request>
  /**
   * Id of the task whose audio is served. Check that it belongs to the caller: a key sees all tasks of its account.
   * @default the route's parameter `id`
   */
  readonly task?: (request: Request) => string | Promise<string>
}

/** Request headers for a part of a file, and the answer's headers. */
const ASKED = ['range', 'if-range'] as const
const ANSWERED = ['content-range', 'accept-ranges', 'etag', 'last-modified'] as const

const RULES: OptionRules = {
  ...CALL_RULES,
  client: optionRules.perRequest(optionRules.clientWith('tasks')),
  task: optionRules.optional(optionRules.callback),
}

/**
 * A handler that serves the audio of a finished task, with `Range`, which players on phones need to start and to seek.
 * It answers 404 for an unknown task, and 409 with `Retry-After` for one that is not finished.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.get('/speech/:id', playResult({ client, task: (req) => ownTaskId(req.user, req.params.id) }))
 */
export function playResult(options: PlayResultOptions): RequestHandler {
  checkOptions('playResult', options, RULES)
  const { client: clientOption, task: idOf = taskParameter, ...rest } = options
  return resourceHandler(rest, async (request, response, callOptions, signal) => {
    const client = await valueFor(clientOption, request, resultCheck('client', RULES))
    const task = await finishedTask(client, await idOf(request), callOptions)
    const { audio, status, headers } = await openAudio(client, task, request, callOptions)
    // Unlike streamed speech, a file does not change: the caller's browser may cache it.
    if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'private, no-transform')
    if (request.method === 'HEAD') sendHead(response, audio, status, headers)
    else await sendAudio(response, audio, signal, { status, headers })
  })
}

function taskParameter(request: Request): string {
  const { id } = request.params
  return typeof id === 'string' ? id : ''
}

async function finishedTask(client: PureAudioClient, id: string, options: CallOptions): Promise<SpeechTask> {
  const task = await client.tasks.retrieve(id, options).catch((error: unknown) => {
    throw hasStatus(error, 404) ? answer(404, 'audio_not_found', 'There is no such audio', error) : error
  })
  if (task.status === 'SUCCESS') return task
  if (task.status === 'FAILED') throw answer(404, 'audio_not_found', 'The audio could not be made')
  const seconds = Math.max(1, Math.ceil(task.retry_after ?? 1))
  const notReady = { status: 409, code: 'audio_not_ready', message: 'The audio is not ready yet' }
  throw new AudioGatewayError({ ...notReady, retryAfterSeconds: seconds })
}

async function openAudio(
  client: PureAudioClient,
  task: SpeechTask,
  request: Request,
  options: CallOptions,
): Promise<{ readonly audio: AudioBody; readonly status: number; readonly headers: RelayHeaders }> {
  try {
    const call = client.download(task, { ...options, headers: pick(request.headers, ASKED) })
    const { data, status, headers } = await call.withResponse()
    return { audio: data, status, headers: pick(headers, ANSWERED) }
  } catch (error) {
    throw hasStatus(error, 416) ? answer(416, 'range_not_satisfiable', 'The audio has no such range', error) : error
  }
}

function sendHead(response: Response, audio: AudioBody, status: number, headers: RelayHeaders): void {
  audio.cancel()
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (audio.contentLength !== undefined) response.setHeader('content-length', audio.contentLength)
  response.setHeader('content-type', audio.contentType)
  response.status(status).end()
}

function pick(headers: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string') picked[name] = value
  }
  return picked
}

function hasStatus(error: unknown, status: number): boolean {
  return SvcAudioError.isInstance(error) && 'status' in error && error.status === status
}

function answer(status: number, code: string, message: string, cause?: unknown): AudioGatewayError {
  return new AudioGatewayError({ status, code, message }, cause)
}
