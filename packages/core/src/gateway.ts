import type { Socket } from 'node:net'
import { ProtocolError, SvcAudioError } from './errors.ts'
import type { AudioBody } from './streaming/index.ts'
import { cancellable } from './transport/index.ts'

/** What a server answers its own callers when a call to the service has failed. */
export interface GatewayResponse {
  /** HTTP status. */
  readonly status: number
  /** For programs, in snake case. */
  readonly code: string
  /** For people. */
  readonly message: string
  /** Seconds for a `Retry-After` header, where the service named them. */
  readonly retryAfterSeconds?: number
}

/**
 * The response of a server that stands between its callers and the service, for an error of this package. It is in our
 * own words: neither the service's text nor anything of the key passes.
 *
 * - What the caller's own content causes stays the caller's: 413 too large, 415 not decodable, 400 and 422 refused. A
 *   refusal that names another field than the text or the file is the server's doing: 502.
 * - 429 stays 429. A limit that is passed on slows the right one down.
 * - 401 and 403 say that the server's key is at fault, 404 its model or voice, and 5xx the service: 502. To a caller, a
 *   401 would mean that the caller's own login failed.
 * - No answer: 502; none in time: 504.
 * - A server that is set up wrongly: 500.
 * - A stream that cannot be sent twice is answered as what made the first try fail.
 *
 * @returns `undefined` for an error of somebody else
 */
export function gatewayResponse(error: unknown): GatewayResponse | undefined {
  if (!SvcAudioError.isInstance(error)) return undefined
  switch (error.name) {
    case 'ApiError':
      return apiResponse(error)
    case 'TimeoutError':
    case 'TaskTimeoutError':
      return TIMED_OUT
    case 'InvalidRequestError':
      return invalidResponse(error)
    case 'ConfigurationError':
      return MISTAKEN
    case 'NotReplayableError':
      return gatewayResponse(error.cause) ?? UNAVAILABLE
    default:
      return UNAVAILABLE
  }
}

const answer = (status: number, code: string, message: string): GatewayResponse => ({ status, code, message })

const UNAVAILABLE = answer(502, 'audio_service_unavailable', 'The audio service cannot be used at the moment')
const TIMED_OUT = answer(504, 'audio_service_timeout', 'The audio service did not answer in time')
const REFUSED = answer(400, 'content_refused', 'The audio service cannot use this content')
const MISTAKEN = answer(500, 'internal_error', 'The server made a mistake')

const TOO_LARGE = answer(413, 'content_too_large', 'The content is larger than the audio service takes')

const BY_STATUS: Readonly<Record<number, GatewayResponse>> = {
  413: TOO_LARGE,
  415: answer(415, 'undecodable_audio', 'The file holds no audio that can be decoded'),
  429: answer(429, 'rate_limited', 'Too many requests at the moment'),
  504: TIMED_OUT,
}

function apiResponse(error: SvcAudioError): GatewayResponse {
  const status = 'status' in error && typeof error.status === 'number' ? error.status : 0
  const refused = (status === 400 || status === 422) && isAboutContent(error)
  const found = BY_STATUS[status] ?? (refused ? REFUSED : UNAVAILABLE)
  const seconds = 'retryAfter' in error ? error.retryAfter : undefined
  return typeof seconds === 'number' ? { ...found, retryAfterSeconds: Math.ceil(seconds) } : found
}

/** What this package refuses itself. Of a file, only its size is the caller's doing. */
function invalidResponse(error: SvcAudioError): GatewayResponse {
  if ('code' in error && error.code === 'file_too_large') return TOO_LARGE
  return 'param' in error && error.param === 'input' ? REFUSED : MISTAKEN
}

/** A refusal that names no field counts as one of the content, since the rest is the same from call to call. */
function isAboutContent(error: SvcAudioError): boolean {
  const param = 'param' in error ? error.param : undefined
  return param === undefined || param === 'file' || param === 'input'
}

/**
 * Keeps the connection of a refused upload open for reading after the response, until the returned function is called.
 *
 * Node closes a connection with `Connection: close` as soon as the response is sent. If the client is still sending, the
 * operating system answers its bytes with a reset, and the reset overtakes the response: nginx then reports 502. Here the
 * response ends with a half-close, and the client reads it while the rest of its body is discarded.
 *
 * Does nothing for an object that only stands for a connection, as in an adapter for functions or an injected request.
 *
 * @returns Closes the connection if its last response is sent. Call it when the body has ended or reached its limits.
 */
export function lingerAfterResponse(socket: Socket): () => void {
  if (typeof socket.destroySoon !== 'function') return () => {}
  // Node's server calls `destroySoon` of the connection, and nothing else, when the last response is sent.
  const original = socket.destroySoon.bind(socket)
  let wanted = false
  const halfClose = (): void => {
    wanted = true
    socket.end()
  }
  socket.destroySoon = halfClose
  return () => {
    if (socket.destroySoon !== halfClose) return
    socket.destroySoon = original
    if (wanted) original()
  }
}

/** Audio to relay. */
export interface RelayedAudio {
  /** MIME type: audio, video, Ogg, or plain bytes. */
  readonly contentType: string
  /** Length in bytes, if the service announced it. */
  readonly contentLength: number | undefined
  /** All of the audio. Leaving the iteration closes the connection at once. */
  readonly chunks: AsyncGenerator<Uint8Array, void, undefined>
}

/** Accepted media types. mp4, webm and Ogg are containers, so their types may not begin with `audio/`. */
const AUDIO_TYPE = /^(?:(?:audio|video)\/[\w.+-]+|application\/(?:ogg|octet-stream))$/

/**
 * Prepares audio for a relay. It waits for the first bytes, because a server can still answer an earlier failure with
 * an error. It refuses anything but audio: otherwise a page with scripts could appear under the relaying server's
 * origin.
 *
 * @throws ProtocolError if the response is not audio
 * @throws the error of reading the audio
 */
export async function relayAudio(audio: AudioBody): Promise<RelayedAudio> {
  const { contentType, contentLength } = audio
  if (!AUDIO_TYPE.test(contentType)) {
    audio.cancel()
    throw new ProtocolError('The service answered a request for speech with something else than audio')
  }
  const rest = audio[Symbol.asyncIterator]()
  const first = await rest.next()
  return { contentType, contentLength, chunks: cancellable(resume(first, rest), () => void rest.return()) }
}

async function* resume(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value
}
