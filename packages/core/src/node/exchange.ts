import type { Dispatcher } from 'undici'
import { ProtocolError } from '../errors.ts'
import { isFramed, type TransportResponse } from '../transport/index.ts'
import { ReceivedBody, translateError } from './received-body.ts'
import { abandon, type Attempt } from './sockets.ts'

/** Options of {@link Exchange}. */
export interface ExchangeOptions {
  readonly signal: AbortSignal
  /** The body of the request. A {@link SentBody} is closed when the exchange ends. */
  readonly sent: unknown
  /** The connection, which is closed if the exchange is aborted first. */
  readonly attempt: Attempt
  /** Whether the connection is being reset. Called when the response ends. */
  readonly isReset?: (() => boolean) | undefined
}

/** Headers as undici parsed them. */
type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * One request and its response, as an undici handler. undici's `request` makes a Node stream of every response, which costs
 * more than the rest of a small response. It also ignores an abort until it is connected, possibly until the connect
 * deadline.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Resolves when the headers arrive. */
  readonly response: Promise<TransportResponse>
  readonly #answer: (response: TransportResponse) => void
  readonly #refuse: (reason: unknown) => void
  readonly #signal: AbortSignal
  readonly #sent: unknown
  readonly #attempt: Attempt
  readonly #isReset: (() => boolean) | undefined
  #isFramed = true
  #controller: Dispatcher.DispatchController | undefined
  #received: ReceivedBody | undefined

  constructor({ signal, sent, attempt, isReset }: ExchangeOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>()
    this.response = promise
    this.#answer = resolve
    this.#refuse = reject
    this.#signal = signal
    this.#sent = sent
    this.#attempt = attempt
    this.#isReset = isReset
    signal.addEventListener('abort', this.#abort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#signal.aborted) controller.abort(new Error('The request was aborted'))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return
    const flat = flatten(headers)
    const coding = flat['content-encoding'] ?? 'identity'
    if (status < 300 && coding.toLowerCase() !== 'identity') {
      const name = coding === 'br' ? 'br (Brotli)' : coding
      const error = new ProtocolError(
        `The response has content-encoding ${name}, and the request accepts none: turn off compression in the proxy before the service`,
      )
      this.#end()
      this.#refuse(error)
      return controller.abort(error)
    }
    this.#received = new ReceivedBody(controller, this.#signal)
    this.#isFramed = isFramed(flat)
    this.#answer({ status, headers: flat, body: this.#received })
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#received?.add(chunk)
  }

  onResponseEnd(): void {
    // A response may end before the body of the request is sent.
    const isCut = !this.#isFramed && this.#isReset?.() === true
    this.#end()?.finish(isCut ? { error: new Error('The connection was reset') } : {})
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#end()?.finish({ error })
    this.#refuse(translateError(error))
  }

  /**
   * Drops every reference. A removed listener outlives young garbage collections, and would keep undici's state of the
   * request alive. Measured over 10,000 requests, that took 20 MB and more.
   * @returns the response's body
   */
  #end(): ReceivedBody | undefined {
    this.#signal.removeEventListener('abort', this.#abort)
    if (this.#sent instanceof SentBody) this.#sent.leave()
    const received = this.#received
    this.#received = undefined
    this.#controller = undefined
    return received
  }

  readonly #abort = (): void => {
    const { reason } = this.#signal
    const controller = this.#controller
    this.#end()?.abort(reason)
    this.#refuse(reason)
    controller?.abort(new Error('The request was aborted'))
    abandon(this.#attempt)
  }
}

/** Joins repeated headers. Most answers have none and need no copy. */
function flatten(headers: Headers): Readonly<Record<string, string | undefined>> {
  if (isFlat(headers)) return headers
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  return Object.fromEntries(entries)
}

function isFlat(headers: Headers): headers is Readonly<Record<string, string | undefined>> {
  for (const name in headers) if (Array.isArray(headers[name])) return false
  return true
}

/**
 * A body for undici, as an iterable: a Node stream would cost CPU. undici closes a stream when the request ends, but
 * not an iterable. The exchange calls {@link SentBody.leave} instead.
 */
export class SentBody implements AsyncIterableIterator<Uint8Array, void, undefined> {
  readonly #chunks: AsyncIterator<Uint8Array, unknown, undefined>
  #left = false

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, void>> {
    const { done, value } = await this.#chunks.next()
    // undici would treat the end of a closed source as the end of the body, and finish the request.
    if (this.#left) throw new Error('The body was left before its end')
    return done === true ? { done, value: undefined } : { done: false, value }
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    this.leave()
    return { done: true, value: undefined }
  }

  /** Closes the source, also during a pending read. */
  leave(): void {
    this.#left = true
    // An error of the source no longer matters.
    this.#chunks.return?.()?.catch(() => {})
  }
}
