import { TimeoutError } from '../errors/service-errors.ts'
import { IdleTimer, webClock } from '../transport/idle-timer.ts'

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
