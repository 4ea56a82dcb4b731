import { joinBytes } from '../bytes.ts'
import { ProtocolError, StreamTruncatedError, SvcAudioError } from '../errors.ts'
import type { IdleTimer } from './idle-timer.ts'
import type { Redact } from './key-source.ts'
import { cancellable, type RequestScope } from './request-scope.ts'
import type { ReadProgress } from './semaphore.ts'
import type { ResponseBody, TransportResponse } from './transport.ts'

/** Largest document that is read into memory. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024

/** Decodes whole documents. A decoder for each response costs more than it decodes. */
const decoder = /* @__PURE__ */ new TextDecoder()

/**
 * A successful response. Its body is complete or throws: a failed or short body throws {@link StreamTruncatedError}, an
 * abort throws the signal's reason. When the body ends, the call releases everything.
 */
export class ApiResponse implements ResponseBody {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Removes the key from a text of the service. */
  readonly redact: Redact
  /**
   * Whether the body was read to its end, and the end proves that it is complete: the body has a length or is sent in
   * chunks.
   */
  complete = false
  /** How far the body has been read. */
  readonly progress: ReadProgress = { reads: 0, reading: false }
  /** The deadline for a reader, if the client has one. */
  unread: IdleTimer | undefined
  readonly #body: ResponseBody
  readonly #scope: RequestScope
  /** Whether an empty body is an error. */
  readonly #isAudio: boolean
  #bytes = 0
  /** How the rest of the body was dropped. */
  #over: 'cancel' | 'release' | undefined

  /**
   * @param redact Removes the key from a text of the service.
   * @param isAudio Whether an empty body is an error.
   */
  constructor(response: TransportResponse, scope: RequestScope, redact: Redact, isAudio = false) {
    this.status = response.status
    this.headers = response.headers
    this.redact = redact
    this.#body = response.body
    this.#scope = scope
    this.#isAudio = isAudio
  }

  /** The `x-request-id` header. */
  get requestId(): string | undefined {
    return this.headers['x-request-id']
  }

  /** Media type without parameters, lower case; empty when absent. */
  get mediaType(): string {
    return this.#word('content-type')
  }

  /** `Content-Length`, if it is present and counts the bytes that the transport delivers. */
  get contentLength(): number | undefined {
    // A transport may decode the body, as fetch does. The header counts the encoded bytes.
    if (this.headers['content-encoding'] !== undefined && !['', 'identity'].includes(this.#word('content-encoding'))) {
      return undefined
    }
    const value = this.headers['content-length']
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    return cancellable(this.#read(), () => this.cancel())
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks = this.#body[Symbol.asyncIterator]()
    for (let chunk = await this.#next(chunks); chunk !== undefined; chunk = await this.#next(chunks)) yield chunk
  }

  /** The next chunk, `undefined` at the end. */
  async #next(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
    this.progress.reads += 1
    this.progress.reading = true
    this.unread?.stop()
    try {
      const { done, value } = await chunks.next()
      this.#scope.signal.throwIfAborted()
      if (done !== true) {
        this.#bytes += value.byteLength
        return value
      }
      if (this.#bytes !== (this.contentLength ?? this.#bytes)) throw this.#truncated()
      if (this.#bytes === 0 && this.#isAudio) throw new ProtocolError('The service answered with audio of 0 bytes')
    } catch (error) {
      const failure = this.#failure(error)
      this.#scope.dispose(failure)
      throw failure
    } finally {
      this.progress.reading = false
    }
    this.complete = isFramed(this.headers)
    this.#scope.dispose()
    return undefined
  }

  /**
   * A reader asks for the next item.
   * @throws the reason of an abort, even if the item has arrived before it
   */
  touch(): void {
    this.unread?.stop()
    this.#scope.signal.throwIfAborted()
  }

  /** The response has begun, and waits for a reader. */
  awaitReader(): void {
    this.unread?.begin()
  }

  /** The whole body. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return joinBytes(await this.#whole())
  }

  /**
   * The whole body as UTF-8 text.
   * @throws ProtocolError if it is larger than 64 MiB; no document of the interface is
   */
  async text(): Promise<string> {
    const chunks = await this.#whole(MAX_TEXT_BYTES)
    const [only] = chunks
    // Most documents arrive in one chunk and need no copy.
    return decoder.decode(chunks.length === 1 ? only : joinBytes(chunks))
  }

  /** All chunks. A generator would cost as much as reading a small response. */
  async #whole(max = Infinity): Promise<Uint8Array[]> {
    const chunks = this.#body[Symbol.asyncIterator]()
    const all: Uint8Array[] = []
    for (let chunk = await this.#next(chunks); chunk !== undefined; chunk = await this.#next(chunks)) {
      all.push(chunk)
      if (this.#bytes > max) {
        this.cancel()
        throw new ProtocolError(`The service answered with over ${max} bytes`, this)
      }
    }
    return all
  }

  /**
   * The whole body as a JSON object.
   * @throws ProtocolError if it is anything else
   */
  async json(): Promise<object> {
    const text = await this.text()
    let cause: unknown
    try {
      const value: unknown = JSON.parse(text)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    } catch (error) {
      cause = error
    }
    const { requestId } = this
    throw new ProtocolError(`The service answered ${this.status} without a JSON object`, { cause, requestId })
  }

  cancel(): void {
    this.#drop('cancel')
  }

  release(): void {
    this.#drop('release')
  }

  #drop(how: 'cancel' | 'release'): void {
    if (this.#over !== undefined) return
    this.#over = how
    this.#scope.dispose()
    this.#body[how]()
  }

  /** A header's value without parameters, lower case; empty when absent. */
  #word(name: string): string {
    return (this.headers[name] ?? '').replace(/;.*/s, '').trim().toLowerCase()
  }

  #failure(error: unknown): unknown {
    if (this.#scope.signal.aborted) return this.#scope.signal.reason
    if (!SvcAudioError.isInstance(error)) return this.#truncated(error)
    error.requestId ??= this.requestId
    return error
  }

  #truncated(cause?: unknown): StreamTruncatedError {
    const expectedBytes = this.contentLength
    const of = expectedBytes === undefined ? '' : ` of ${expectedBytes}`
    const what = this.#over === 'cancel' ? 'cancelled' : 'cut'
    return new StreamTruncatedError(`The response was ${what} after ${this.#bytes}${of} bytes`, {
      bytes: this.#bytes,
      expectedBytes,
      requestId: this.requestId,
      cause,
    })
  }
}

/**
 * Whether a complete body can be told from a cut one: it has a length or is sent in chunks. Any other HTTP/1.1 body
 * ends with its connection. HTTP/2 has frames, but an RST_STREAM can cut a response without a length, and the response
 * looks complete.
 */
export function isFramed(headers: Readonly<Record<string, string | undefined>>): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
