import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable, Writable } from 'node:stream'

/** A `fetch` that hands every request to a function instead of a network. It follows no redirect. */
export function inProcessFetch(
  receive: (message: IncomingMessage, response: ServerResponse) => void,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return (input, init) => {
    const request = new Request(input, init)
    const { method, headers, signal } = request
    const { pathname, search } = new URL(request.url)
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    // Like an unread socket, a body that nobody reads fails nothing.
    const message = Readable.from(bodyOf(request)).on('error', () => {})
    Object.assign(message, { method, url: pathname + search, headers: Object.fromEntries(headers) })
    const response = new InProcessResponse(resolve, reject)
    const stop = (): void => {
      reject(signal.reason)
      message.destroy()
      response.destroy(signal.reason)
    }
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    response.once('close', () => signal.removeEventListener('abort', stop))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both have the parts that answers and the recorder use
    receive(message as IncomingMessage, response as unknown as ServerResponse)
    return promise
  }
}

async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

/** Statuses whose responses have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

/** The part of `http.ServerResponse` that answers need. It ends in a `Response`. */
export class InProcessResponse extends Writable {
  headersSent = false
  /** A reset looks like a closed connection to `fetch`. */
  readonly socket: { resetAndDestroy(): void } = { resetAndDestroy: () => void this.destroy() }
  readonly #headers = new Headers()
  readonly #resolve: (response: Response) => void
  readonly #reject: (error: unknown) => void
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Continues after the reader has taken a chunk. */
  #pulled: (() => void) | undefined
  #left = Infinity

  constructor(resolve: (response: Response) => void, reject: (error: unknown) => void) {
    super({ highWaterMark: 0 })
    this.#resolve = resolve
    this.#reject = reject
    // As on a socket, a client that disconnects is no error of the server.
    this.on('error', () => {})
  }

  setHeader(name: string, value: string): this {
    this.#headers.set(name, value)
    return this
  }

  writeHead(status: number, headers: Readonly<Record<string, string>> = {}): this {
    for (const [name, value] of Object.entries(headers)) this.#headers.set(name, value)
    const length = this.#headers.get('content-length')
    if (length !== null) this.#left = Number(length)
    this.headersSent = true
    const body = WITHOUT_BODY.has(status) ? null : this.#open()
    this.#resolve(new Response(body, { status, headers: this.#headers }))
    return this
  }

  /** The head is sent by {@link writeHead}. */
  flushHeaders(): void {}

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    if (!this.headersSent) this.writeHead(200)
    this.#left -= chunk.byteLength
    if (this.#body === undefined || this.#left < 0) return done()
    this.#body.enqueue(Uint8Array.from(chunk))
    if ((this.#body.desiredSize ?? 1) > 0) done()
    else this.#pulled = done
  }

  override _final(done: (error?: Error) => void): void {
    if (!this.headersSent) this.writeHead(200)
    // `fetch` fails for a body that is shorter or longer than its `content-length`.
    const isWhole = this.#left === 0 || this.#left === Infinity || this.#body === undefined
    if (isWhole) this.#body?.close()
    else this.#body?.error(new TypeError('terminated'))
    this.#body = undefined
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const lost = error ?? new TypeError(this.headersSent ? 'terminated' : 'fetch failed')
    this.#reject(lost)
    this.#body?.error(lost)
    this.#body = undefined
    this.#pulled?.()
    done(null)
  }

  #open(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#body = controller
        },
        pull: () => {
          const pulled = this.#pulled
          this.#pulled = undefined
          pulled?.()
        },
        cancel: () => {
          this.#body = undefined
          this.destroy()
        },
      },
      { highWaterMark: 1 },
    )
  }
}
