import { TimeoutError } from '../errors/service-errors.ts'
import { IdleTimer } from '../transport/idle-timer.ts'
import { webClock } from '../transport/web-clock.ts'

/** One request and its answer: what ends them, and what has to be given back when they are over. */
export class Exchange {
  readonly #controller = new AbortController()
  readonly #cleanups: (() => void)[]
  #failure: { readonly error: unknown } | undefined
  #headers: IdleTimer | undefined

  /** @param active Holds the exchange until it is over. */
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

  /** Something to do when the exchange is over, however it ends; at once if it is. */
  onOver(cleanup: () => void): void {
    if (this.#failure === undefined) this.#cleanups.push(cleanup)
    else cleanup()
  }

  /** The wait for the answer begins, or begins again. */
  awaitHeaders(milliseconds?: number): void {
    if (milliseconds !== undefined && this.#failure === undefined) {
      this.#headers = this.timer('headers', milliseconds)
    }
    this.#headers?.begin()
  }

  /** The upload waits for its source, which is not the service's fault. */
  pauseHeaders(): void {
    this.#headers?.pause()
  }

  /** The headers have come; the upload may still go on. */
  answered(): void {
    this.#headers?.stop()
    this.#headers = undefined
  }

  /** A deadline that fails the exchange and is gone when that is over. */
  timer(phase: 'headers' | 'idle', milliseconds: number): IdleTimer {
    const expire = (): void => this.fail(new TimeoutError(phase, `The ${phase} deadline of ${milliseconds} ms passed`))
    const timer = new IdleTimer(webClock, milliseconds, expire)
    this.onOver(() => timer.stop())
    return timer
  }

  /** Ends everything; whatever waits fails. Does nothing after the first time or after {@link Exchange.finish}. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = { error }
    this.#clean()
    this.#controller.abort(error)
  }

  /** The answer has been read to its end. */
  finish(): void {
    this.#failure ??= { error: new Error('The answer was already read') }
    this.#clean()
  }

  /** Why the exchange failed: `fetch` has words of its own for it. */
  failureOf(error: unknown): unknown {
    return this.#failure === undefined ? error : this.#failure.error
  }

  #clean(): void {
    this.#headers = undefined
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
  }
}
