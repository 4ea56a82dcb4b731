import { ProtocolError } from '../errors/protocol-error.ts'
import { StreamTruncatedError } from '../errors/stream-truncated-error.ts'
import { SvcAudioError } from '../errors/svc-audio-error.ts'
import { leavable } from './leavable.ts'
import type { Redact } from './redact.ts'
import type { RequestScope } from './request-scope.ts'
import type { ResponseBody, TransportResponse } from './transport.ts'

/** Largest document that is read into memory. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024

const decoder = new TextDecoder()

/**
 * A successful response. Its body is complete or throws: a failed or short body is a {@link StreamTruncatedError}, an
 * abort rethrows the signal's reason. Once the body has ended, in whichever way, the call holds nothing any more.
 */
export class ApiResponse implements ResponseBody {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Takes the key out of a text that the service sent. */
  readonly redact: Redact
  readonly #body: ResponseBody
  readonly #scope: RequestScope
  #bytes = 0
  /** How the rest of the body was given away. */
  #over: 'cancelled' | 'released' | undefined

  /** @param redact Takes the key out of a text that the service sent. */
  constructor(response: TransportResponse, scope: RequestScope, redact: Redact) {
    this.status = response.status
    this.headers = response.headers
    this.redact = redact
    this.#body = response.body
    this.#scope = scope
  }

  /** The `x-request-id` header. */
  get requestId(): string | undefined {
    return this.headers['x-request-id']
  }

  /** Media type without parameters, lower case; empty when absent. */
  get mediaType(): string {
    return (this.headers['content-type'] ?? '').split(';', 1).join('').trim().toLowerCase()
  }

  /** `Content-Length`, where it is there and counts the bytes that the transport hands over. */
  get contentLength(): number | undefined {
    // A transport may decode the body, as fetch does; the header counts what was sent.
    if ((this.headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity') return undefined
    const value = this.headers['content-length']
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    return leavable(this.#read(), () => this.cancel())
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    let failure: unknown
    try {
      for await (const chunk of this.#body) {
        this.#bytes += chunk.byteLength
        yield chunk
      }
      this.#checkLength()
    } catch (error) {
      failure = this.#failure(error)
      throw failure
    } finally {
      this.#scope.dispose(failure)
    }
  }

  /** The whole body. */
  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#whole().then(joined)
  }

  /**
   * The whole body as UTF-8 text.
   * @throws ProtocolError when it is larger than 64 MiB, which no document of the interface is
   */
  text(): Promise<string> {
    return this.#whole(MAX_TEXT_BYTES).then(decoded)
  }

  /** As {@link ApiResponse.#read}, without a generator, which costs as much as the reading of a small answer. */
  async #whole(most = Infinity): Promise<Uint8Array[]> {
    const chunks: Uint8Array[] = []
    let failure: unknown
    try {
      for await (const chunk of this.#body) {
        this.#bytes += chunk.byteLength
        if (this.#bytes > most) throw new ProtocolError('The service answered with a text of over 64 MiB', this)
        chunks.push(chunk)
      }
      this.#checkLength()
      return chunks
    } catch (error) {
      failure = this.#failure(error)
      throw failure
    } finally {
      this.#scope.dispose(failure)
    }
  }

  /**
   * The whole body as a JSON object.
   * @throws ProtocolError when it is something else.
   */
  json(): Promise<object> {
    return this.text().then((text) => this.#parse(text))
  }

  cancel(): void {
    if (this.#over !== undefined) return
    this.#over = 'cancelled'
    this.#scope.dispose()
    this.#body.cancel()
  }

  release(): void {
    if (this.#over !== undefined) return
    this.#over = 'released'
    this.#scope.dispose()
    this.#body.release()
  }

  #parse(text: string): object {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      throw new ProtocolError(`The service answered ${this.status} with a body that is not valid JSON`, {
        cause: error,
        requestId: this.requestId,
      })
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ProtocolError(`The service answered ${this.status} with JSON that is not an object`, this)
    }
    return value
  }

  #checkLength(): void {
    if (this.#bytes !== (this.contentLength ?? this.#bytes)) throw this.#truncated()
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
    const what = this.#over === 'cancelled' ? 'given up' : 'cut'
    return new StreamTruncatedError(`The response was ${what} after ${this.#bytes}${of} bytes`, {
      bytes: this.#bytes,
      expectedBytes,
      requestId: this.requestId,
      cause,
    })
  }
}

/** At once: a decoder that keeps what is left of a chunk costs four times as much. */
function decoded(chunks: readonly Uint8Array[]): string {
  return decoder.decode(chunks.length === 1 ? chunks[0] : joined(chunks))
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((bytes, chunk) => bytes + chunk.byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}
