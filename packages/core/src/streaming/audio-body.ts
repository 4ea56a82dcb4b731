import { ProtocolError } from '../errors/service-errors.ts'
import type { ApiResponse } from '../transport/api-response.ts'
import { cancellable } from '../transport/request-scope.ts'
import type { FileAccess } from '../transport/upload-source.ts'
import { needFiles } from '../transport/uploads.ts'
import { toReadableStream } from './base64.ts'

/**
 * Audio as it arrives. Iterate it, or read it as a stream, as bytes or into a file. It can be read once. A cut body
 * throws `StreamTruncatedError`. Leaving the iteration early closes the connection.
 */
export class AudioBody implements AsyncIterable<Uint8Array> {
  /** MIME type, e.g. `audio/mpeg`. */
  readonly contentType: string
  /** Length in bytes, if the service announced it. */
  readonly contentLength: number | undefined
  /** The response's `x-request-id`. */
  readonly requestId: string | undefined
  readonly #response: ApiResponse
  readonly #files: FileAccess | undefined
  #taken = false

  constructor(response: ApiResponse, files?: FileAccess) {
    this.contentType = response.mediaType || 'application/octet-stream'
    this.contentLength = response.contentLength
    this.requestId = response.requestId
    this.#response = response
    this.#files = files
  }

  /**
   * Whether the audio was read to its end, and the end proves that it is complete: the response had a length or came in
   * chunks. False for a body that ends with its connection.
   */
  get complete(): boolean {
    return this.#response.complete
  }

  /** Reads the audio. It can be read once. */
  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#take()[Symbol.asyncIterator]()
  }

  /** The audio as a web stream. */
  stream(): ReadableStream<Uint8Array> {
    return toReadableStream(this[Symbol.asyncIterator]())
  }

  /** The whole audio. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#take().bytes()
  }

  /**
   * Writes the audio to a file. The file appears only when it is complete.
   * @returns bytes written
   * @throws ConfigurationError if this client has no access to files
   * @throws InvalidRequestError if the path is not writable
   */
  async saveTo(path: string): Promise<number> {
    const audio = this.#take()
    try {
      return await needFiles(this.#files, 'path').save(path, audio)
    } catch (error) {
      audio.cancel()
      throw error
    }
  }

  /**
   * The audio as a response of your own server, with its type and its length: `return audio.asResponse()`. A cut body
   * cuts the response.
   * @param headers Further headers. They replace those of the audio.
   */
  asResponse(headers?: Readonly<Record<string, string>>): Response {
    const { contentType, contentLength } = this
    const length = contentLength === undefined ? {} : { 'content-length': String(contentLength) }
    return new Response(this.stream(), { headers: { 'content-type': contentType, ...length, ...headers } })
  }

  /** Drops the rest of the audio and closes the connection. */
  cancel(): void {
    this.#taken = true
    this.#response.cancel()
  }

  /** As `cancel()`, for `await using`. Does nothing after the end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel()
  }

  #take(): ApiResponse {
    if (this.#taken) throw new TypeError('This audio was already taken')
    this.#taken = true
    return this.#response
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
