import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiError,
  ConnectionError,
  nodeTransport,
  TimeoutError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '@svc-audio/core'
import { readApiError, type RequestBody, retryDelay } from '@svc-audio/core/adapter'
import { encodeWav } from '@svc-audio/core/audio'
import {
  EngineFailedError,
  EngineLostError,
  EngineNotReadyError,
  EngineRefusedError,
  RECOGNITION_SAMPLE_RATE,
} from '@svc-audio/engine-ports'
import type { OpenAiKeys } from './keys.ts'

/** Options of {@link Upstream}. */
export interface UpstreamOptions {
  /** Name of the entry, for messages. */
  readonly name: string
  readonly keys: Pick<OpenAiKeys, 'baseUrl' | 'timeouts' | 'retries' | 'requestsPerMinute'>
  readonly apiKey: string | undefined
  /** @default HTTP */
  readonly transport?: Transport | undefined
}

/** A request to the server. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST'
  /** Behind the address of the entry. */
  readonly path: string
  readonly body?: RequestBody
  readonly signal: AbortSignal
  /** Texts of people in the request. An error that the server sends may repeat them: they are left out of it. */
  readonly texts?: readonly string[]
  /** The language that a person named. A refusal of the language is theirs then. @default nobody has named one */
  readonly language?: string | undefined
}

/** Seconds before a retry with a refused key or an empty account: a person has to act first. */
export const OPERATOR_SECONDS = 60

/** What a gateway answers in place of a server that is gone or silent: those of the standard, and Cloudflare's. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 504, 520, 521, 522, 523, 524, 530])

/** With these statuses a server refuses a field. */
const LANGUAGE_STATUSES: ReadonlySet<number> = new Set([400, 422])

/** What the operator can do about a status. */
const REMEDIES: ReadonlyMap<number, string> = new Map([
  [404, ', check baseUrl and model'],
  [405, ', check baseUrl and model'],
  [413, ', set recognition.maxBytes or recognition.maxSeconds below its limit'],
])

/** Longest time that a call waits for a server that asks for patience, in seconds. Then the engine is down. */
const PATIENCE_SECONDS = 20

/**
 * A server with the audio API of OpenAI. A request is repeated only where the server cannot have begun its work: without
 * a connection, and after 429 and 503.
 */
export class Upstream {
  readonly #options: UpstreamOptions
  readonly #transport: Transport
  readonly #headers: Readonly<Record<string, string>>
  readonly #base: string
  readonly #pace: RequestPace | undefined

  constructor(options: UpstreamOptions) {
    const { connectSeconds, answerSeconds, idleSeconds } = options.keys.timeouts
    this.#options = options
    const { requestsPerMinute: perMinute } = options.keys
    this.#pace = perMinute === undefined ? undefined : new RequestPace({ perMinute, mostWait: PATIENCE_SECONDS * 1000 })
    this.#base = options.keys.baseUrl.replace(/\/+$/, '')
    this.#headers = options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }
    this.#transport =
      options.transport ??
      nodeTransport({
        connectTimeout: connectSeconds * 1000,
        headersTimeout: answerSeconds * 1000,
        idleTimeout: idleSeconds * 1000,
      })
  }

  /**
   * Sends a request. Resolves with the headers of a response of 2xx.
   * @throws EngineNotReadyError where nothing has begun; EngineFailedError for any other failure; the signal's reason
   */
  async send(request: UpstreamRequest): Promise<TransportResponse> {
    for (let retries = 0; ; retries += 1) {
      try {
        await this.#awaitTurn(request.signal)
        return await this.#sendOnce(request)
      } catch (error) {
        request.signal.throwIfAborted()
        const delay = retryDelay(error, {
          retries,
          maxRetries: this.#options.keys.retries,
          repeatable: false,
          random: Math.random,
        })
        if (delay === undefined || delay > PATIENCE_SECONDS * 1000) throw this.explain(error, request)
        await sleep(delay, undefined, { signal: request.signal })
      }
    }
  }

  /** Describes an error of a call, also of its body, for the operator. @param request What was asked, if it matters */
  explain(error: unknown, request: Pick<UpstreamRequest, 'language'> = {}): Error {
    const { name } = this.#options
    if (error instanceof EngineFailedError) return error
    if (ApiError.isInstance(error)) return this.#explainStatus(error, request)
    if (ConnectionError.isInstance(error) && !error.maybeSent) {
      return new EngineNotReadyError(`${name} cannot be reached: ${error.message}`, {
        isUnreachable: true,
        cause: error,
      })
    }
    if (TimeoutError.isInstance(error) && error.phase === 'connect') {
      return new EngineNotReadyError(`${name} cannot be reached in time`, { isUnreachable: true, cause: error })
    }
    if (TimeoutError.isInstance(error)) {
      return new EngineLostError(`${name} did not answer in time (${error.phase})`, { cause: error })
    }
    // The transport's other errors are those of a connection that has broken.
    return new EngineLostError(`${name} closed the connection before the end of its response`, { cause: error })
  }

  async close(): Promise<void> {
    await this.#transport.close?.()
  }

  /** Waits while the minute has no request left. @throws EngineNotReadyError when that takes too long */
  async #awaitTurn(signal: AbortSignal): Promise<void> {
    const seconds = await this.#pace?.turn(signal)
    if (seconds === undefined) return
    const { name, keys } = this.#options
    const message = `${name} has no request left in this minute (limit: ${keys.requestsPerMinute})`
    throw new EngineNotReadyError(message, { retryAfterSeconds: seconds })
  }

  async #sendOnce({ method, path, body, signal, texts = [] }: UpstreamRequest): Promise<TransportResponse> {
    const request: TransportRequest = {
      method,
      url: this.#base + path,
      headers: {
        ...this.#headers,
        accept: '*/*',
        ...(body === undefined ? {} : { 'content-type': body.contentType }),
        ...(body?.contentLength === undefined ? {} : { 'content-length': String(body.contentLength) }),
      },
      body,
      signal,
    }
    const response = await this.#transport.send(request)
    if (response.status >= 200 && response.status < 300) return response
    const { apiKey } = this.#options
    // The log shows the error and its cause.
    const hidden = [apiKey ?? '', ...texts].filter((text) => text !== '')
    const redact = (said: string): string => hidden.reduce((message, text) => message.replaceAll(text, '…'), said)
    throw await readApiError(response, `${method} ${path}`, redact)
  }

  #explainStatus(error: ApiError, { language }: Pick<UpstreamRequest, 'language'>): EngineFailedError {
    const { name } = this.#options
    const { status, retryAfter, code } = error
    const said = error.serviceMessage ?? code ?? ''
    const about = said === '' ? '' : `: ${said.slice(0, 300)}`
    if (status === 401 || status === 402 || status === 403) {
      const remedy = status === 402 ? 'its account has no credit' : 'check the key of apiKeyVariable'
      const message = `${name} refuses the service (${status}), ${remedy}${about}`
      return new EngineNotReadyError(message, { retryAfterSeconds: retryAfter ?? OPERATOR_SECONDS })
    }
    if (status === 429 || status === 503) {
      const message = `${name} accepts no work at the moment (${status})${about}`
      return new EngineNotReadyError(message, { retryAfterSeconds: retryAfter })
    }
    const message = `${name} answered ${status}${REMEDIES.get(status) ?? ''}${about}`
    if (GATEWAY_STATUSES.has(status)) return new EngineLostError(message, { cause: error })
    if (status >= 500) return new EngineFailedError(message)
    // Without a language in the request, the word is about something else: the model, or a key of the entry.
    const isLanguage =
      language !== undefined && LANGUAGE_STATUSES.has(status) && /\blanguage\b/i.test(`${error.param} ${code} ${said}`)
    return new EngineRefusedError(message, { engine: name, status, param: isLanguage ? 'language' : undefined })
  }
}

/** A JSON body. */
export function jsonBody(value: object): RequestBody {
  const bytes = Buffer.from(JSON.stringify(value))
  return { contentType: 'application/json', contentLength: bytes.length, open: () => bytes }
}

/** A recording of 16 kHz as a file. */
export function wavOf(samples: Int16Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const format = { sampleRate: RECOGNITION_SAMPLE_RATE, channels: 1, bitDepth: 16 } as const
  return encodeWav(format, [new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)])
}

/** A form with one recording of 16 kHz. */
export async function formBody(
  fields: readonly (readonly [name: string, value: string])[],
  samples: Int16Array<ArrayBuffer>,
): Promise<RequestBody> {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  form.append('file', new Blob([wavOf(samples)], { type: 'audio/wav' }), 'recording.wav')
  const encoded = new Response(form)
  const bytes = new Uint8Array(await encoded.arrayBuffer())
  const contentType = encoded.headers.get('content-type') ?? 'multipart/form-data'
  return { contentType, contentLength: bytes.length, open: () => bytes }
}

/** Most bytes of a JSON response. */
const MAX_JSON_BYTES = 64 * 1024 * 1024

/**
 * Reads a JSON response.
 * @throws EngineFailedError for another type, for broken JSON and for more than 64 MB
 */
export async function readJson(name: string, response: TransportResponse): Promise<unknown> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    if (bytes > MAX_JSON_BYTES) throw new EngineFailedError(`${name} answered more than 64 MB of JSON`)
    parts.push(new Uint8Array(chunk))
  }
  const text = Buffer.concat(parts).toString()
  try {
    return JSON.parse(text)
  } catch {
    throw unexpectedContent(name, response, 'JSON', text)
  }
}

/**
 * The error of a response of 2xx with another content. A page is that of a gateway, and the server may be dead behind it.
 * @param wanted What was expected
 * @param start The text, as far as it is known
 */
export function unexpectedContent(
  name: string,
  response: Pick<TransportResponse, 'headers'>,
  wanted: 'JSON' | 'audio',
  start = '',
): EngineFailedError {
  const is = describeType(response, start)
  const message = `${name} answered ${is} where ${wanted} was expected: check baseUrl`
  return is === PAGE ? new EngineLostError(message) : new EngineFailedError(message)
}

const PAGE = 'an HTML page'

/** Names the content of a response for the operator. */
function describeType({ headers }: Pick<TransportResponse, 'headers'>, start: string): string {
  const type = headers['content-type']?.split(';', 1)[0]?.trim() ?? ''
  if (type === 'text/html' || /^\s*<(?:!doctype|html)/i.test(start)) return PAGE
  return type === '' ? 'content without a type' : type
}

const MINUTE_MS = 60_000

/** Options of {@link RequestPace}. */
interface RequestPaceOptions {
  /** Maximum requests that start within any minute. */
  readonly perMinute: number
  /** Longest wait for a turn, in milliseconds. */
  readonly mostWait: number
  /** Milliseconds of a clock that never goes back. @default `performance.now` */
  readonly now?: () => number
  /** @default the timer of Node */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}

/** Keeps requests below a limit of the server: each waits for its turn, in the order of the calls. */
export class RequestPace {
  readonly #options: Required<RequestPaceOptions>
  /** Starts of the last requests, also of those that still wait. */
  readonly #starts: number[] = []

  constructor(options: RequestPaceOptions) {
    this.#options = {
      now: () => performance.now(),
      wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
      ...options,
    }
  }

  /**
   * Waits for the turn of a request. An aborted turn stays used: the limit is never exceeded.
   * @returns `undefined` when the request may start; else the seconds until it could, because the wait is too long
   * @throws the signal's reason
   */
  async turn(signal: AbortSignal): Promise<number | undefined> {
    const { perMinute, mostWait, now, wait } = this.#options
    signal.throwIfAborted()
    const at = now()
    const earliest = (this.#starts.at(-perMinute) ?? -Infinity) + MINUTE_MS
    const start = this.#starts.length < perMinute ? at : Math.max(at, earliest)
    if (start - at > mostWait) return Math.ceil((start - at) / 1000)
    this.#starts.push(start)
    if (this.#starts.length > perMinute) this.#starts.shift()
    if (start > at) await wait(start - at, signal)
    return undefined
  }
}

/** Times that one piece is sent while the others wait for it. Pieces with a response are not sent again. */
const ATTEMPTS = 3

/** Longest pause before a piece is sent again, in seconds. */
const LONGEST_PAUSE_SECONDS = OPERATOR_SECONDS - 1

/** Sends a piece of a recording, again if its response did not come. @throws the last error; the signal's reason */
export async function untilHeard<Answer>(send: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      signal.throwIfAborted()
      const pause = pauseAfter(error, attempt)
      if (pause === undefined) throw error
      await sleep(pause * 1000, undefined, { signal })
    }
  }
}

/** Seconds before a piece is sent again; `undefined` where a further request cannot help. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof EngineFailedError) || error instanceof EngineRefusedError) return undefined
  // A silent server would be waited for again, and a page is not that of the server.
  if (TimeoutError.isInstance(error.cause)) return undefined
  if (error instanceof EngineLostError && !isBroken(error.cause)) return undefined
  const told = error instanceof EngineNotReadyError ? error.retryAfterSeconds : undefined
  if (attempt >= ATTEMPTS || (told ?? 0) > LONGEST_PAUSE_SECONDS) return undefined
  return told ?? 0.25 * attempt
}

/** Whether a connection has broken, or a gateway found none: the server may have started again. */
function isBroken(cause: unknown): boolean {
  return cause !== undefined && !(ApiError.isInstance(cause) && cause.status !== 502)
}
