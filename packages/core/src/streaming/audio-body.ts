import { toReadableStream } from '../bytes.ts'
import type { ApiResponse } from '../transport/index.ts'
import { type FileAccess, needFiles } from '../uploads/index.ts'

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
