import { TimeoutError } from '../errors.ts'
import { drain, IdleTimer, type ResponseBody, webClock } from '../transport/index.ts'

/** One request and its response, with its deadlines and its cleanup. */
export class Exchange {
  readonly #controller = new AbortController()
  readonly #cleanups: (() => void)[]
  #failure: { readonly error: unknown } | undefined
  #headers: IdleTimer | undefined

  /** @param active Holds the exchange until it ends. */
  constructor(signal: AbortSignal, active: Set<Exchange>) {
    const abort = (): void => this.fail(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    active.add(this)
    this.#cleanups = [() => signal.removeEventListener('abort', abort), () => active.delete(this)]
  }

  /** For `fetch`. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Runs `cleanup` when the exchange ends, or at once if it has ended. */
  onOver(cleanup: () => void): void {
    if (this.#failure === undefined) this.#cleanups.push(cleanup)
    else cleanup()
  }

  /** Starts or restarts the wait for the response. */
  awaitHeaders(milliseconds?: number): void {
    if (milliseconds !== undefined && this.#failure === undefined) {
      this.#headers = this.timer('headers', milliseconds)
    }
    this.#headers?.begin()
  }

  /** Pauses the headers deadline: the upload waits for its source, not for the service. */
  pauseHeaders(): void {
    this.#headers?.pause()
  }

  /** The headers have arrived. The upload may continue. */
  answered(): void {
    this.#headers?.stop()
    this.#headers = undefined
  }

  /** Creates a deadline that fails the exchange. It stops when the exchange ends. */
  timer(phase: 'headers' | 'idle', milliseconds: number): IdleTimer {
    const expire = (): void => this.fail(new TimeoutError(phase, `The ${phase} deadline of ${milliseconds} ms passed`))
    const timer = new IdleTimer(webClock, milliseconds, expire)
    this.onOver(() => timer.stop())
    return timer
  }

  /**
   * Ends the exchange and fails every pending read. Does nothing after the first call or after {@link Exchange.finish}.
   */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = { error }
    this.#clean()
    this.#controller.abort(error)
  }

  /** Ends the exchange after the response was read to its end. */
  finish(): void {
    this.#failure ??= { error: new Error('The response was already read') }
    this.#clean()
  }

  /** The reason of the failure. The error that `fetch` throws does not contain it. */
  failureOf(error: unknown): unknown {
    return this.#failure === undefined ? error : this.#failure.error
  }

  #clean(): void {
    this.#headers = undefined
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
  }
}

/** The body of a response from `fetch`. */
export class FetchBody implements ResponseBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #exchange: Exchange
  readonly #idle: IdleTimer
  #released = false

  constructor(body: ReadableStream<Uint8Array> | null, exchange: Exchange, idleTimeout: number) {
    this.#reader = body?.getReader()
    this.#exchange = exchange
    this.#idle = exchange.timer('idle', idleTimeout)
    if (body === null) exchange.finish()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) yield chunk
    } finally {
      this.cancel()
    }
  }

  cancel(): void {
    if (!this.#released) this.#giveUp()
  }

  release(): void {
    this.#released = true
    void drain(
      () => this.#next(),
      () => this.#giveUp(),
      webClock,
    )
  }

  #giveUp(): void {
    this.#exchange.fail(new Error('The body was cancelled'))
  }

  /** The next chunk; `undefined` at the end. */
  async #next(): Promise<Uint8Array | undefined> {
    if (this.#reader === undefined) return undefined
    this.#idle.begin()
    try {
      const { done, value } = await this.#reader.read()
      if (!done) {
        this.#idle.pause()
        return value
      }
      this.#idle.stop()
      this.#exchange.finish()
      return undefined
    } catch (error) {
      this.#idle.stop()
      const failure = this.#exchange.failureOf(error)
      this.#exchange.fail(failure)
      throw failure
    }
  }
}

/** An upload for `fetch`. It is read only as fast as it is sent. Its source is closed when the exchange ends. */
export class UploadStream {
  readonly stream: ReadableStream<Uint8Array>
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #exchange: Exchange
  #over = false

  constructor(source: AsyncIterable<Uint8Array>, exchange: Exchange) {
    this.#iterator = source[Symbol.asyncIterator]()
    this.#exchange = exchange
    let fail: (() => void) | undefined
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          // Otherwise a pending read waits forever.
          fail = () => controller.error(new Error('The upload was cancelled'))
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    )
    exchange.onOver(() => {
      if (this.#over) return
      this.#leave()
      fail?.()
    })
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#exchange.pauseHeaders()
    try {
      const { done, value } = await this.#iterator.next()
      if (this.#over) return
      if (done === true) {
        this.#over = true
        controller.close()
      } else controller.enqueue(value)
      this.#exchange.awaitHeaders()
    } catch (error) {
      // Report the source's error, not the error that `fetch` wraps it in.
      this.#over = true
      this.#exchange.fail(error)
      throw error
    }
  }

  /** An error of the source no longer matters. */
  #leave(): void {
    this.#over = true
    this.#iterator.return?.().catch(() => {})
  }
}
