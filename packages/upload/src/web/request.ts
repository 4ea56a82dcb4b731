import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { backgroundTimer, rememberResponse, type UploadRequest } from '../connection.ts'
import { ClientDisconnectedError } from '../errors.ts'
import { alreadyRead } from '../form.ts'

/** Milliseconds between the end of a refusal's response and the cancellation of the body. */
const CANCEL_DELAY_MS = 1000

/** The body of a Web request as a Node stream: each read is one read of the body, so the client is slowed down. */
class WebUploadRequest extends Readable implements UploadRequest {
  readonly headers: IncomingHttpHeaders
  readonly method: string
  readonly httpVersionMajor?: number
  readonly socket?: Socket
  readonly stream?: ServerHttp2Stream
  complete = false
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined

  constructor(request: Request, response: ServerResponse | undefined) {
    super()
    if (response !== undefined) this.#connect(response)
    this.method = request.method
    this.headers = headersOf(request)
    // A Web request does not tell its version. HTTP/1.1 requires this header; HTTP/2 has `:authority` in its place.
    if (request.headers.has('host')) this.httpVersionMajor = 1
    this.#reader = request.body?.getReader()
    const disconnect = (): void => void this.destroy()
    request.signal.addEventListener('abort', disconnect, { once: true })
    this.once('close', () => request.signal.removeEventListener('abort', disconnect))
  }

  /** A refused body ends with the connection of its response. */
  #connect(response: ServerResponse): void {
    rememberResponse(response, this)
    const { socket, stream }: { readonly socket: Socket; readonly stream?: ServerHttp2Stream } = response.req
    Object.assign(this, stream === undefined ? { socket } : { stream })
  }

  override _read(): void {
    void this.#pull()
  }

  async #pull(): Promise<void> {
    try {
      const { done = true, value } = (await this.#reader?.read()) ?? {}
      if (done) this.complete = true
      this.push(done ? null : value)
    } catch (error) {
      this.destroy(
        error instanceof Error ? error : new Error('The body of the request cannot be read', { cause: error }),
      )
    }
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    // A refusal's response ends with this stream. Some servers reset the connection when the body is cancelled, so the
    // response is sent first.
    if (this.complete) void this.#cancel(error)
    else backgroundTimer(() => void this.#cancel(error), CANCEL_DELAY_MS)
    callback(error)
  }

  /** Tells the server that the rest of the body is not wanted. */
  async #cancel(reason: Error | null): Promise<void> {
    try {
      await this.#reader?.cancel(reason)
    } catch {
      // The connection is gone already.
    }
  }
}

/** HTTP/2 and some servers announce no length of a body. */
function headersOf({ headers, body }: Request): IncomingHttpHeaders {
  const named: IncomingHttpHeaders = Object.fromEntries(headers)
  const isAnnounced = headers.has('content-length') || headers.has('transfer-encoding')
  return body === null || isAnnounced ? named : { ...named, 'transfer-encoding': 'chunked' }
}

/**
 * Makes a request for the functions of this package from a Web `Request`, as servers that speak fetch have it. Tested on
 * Node; other runtimes need its streams, e.g. by `nodejs_compat` on Workers.
 * @param response Node's response to the request, where a framework has both. Its connection stays open while a refused
 *   upload is discarded. @default none
 * @throws UploadError `body_already_read`
 */
export function fromWebRequest(request: Request, response?: ServerResponse): UploadRequest {
  if (request.bodyUsed || request.body?.locked === true) throw alreadyRead()
  return new WebUploadRequest(request, response)
}

/** A signal that aborts with {@link ClientDisconnectedError} when the server aborts the signal of the request. */
export function webDisconnectSignal({ signal }: Request): AbortSignal {
  const controller = new AbortController()
  const disconnect = (): void => controller.abort(new ClientDisconnectedError())
  if (signal.aborted) disconnect()
  else signal.addEventListener('abort', disconnect, { once: true })
  return controller.signal
}
