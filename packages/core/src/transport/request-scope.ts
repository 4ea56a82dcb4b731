import { TimeoutError } from '../errors/service-errors.ts'
import { checkTimeout } from './settings.ts'
import type { Clock } from './transport.ts'

/** What may end a call from outside. */
export interface RequestScopeOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the whole call. */
  readonly timeout?: number | undefined
  readonly clock: Clock
}

/** What is done once a call is over. It hears what made the call fail, where something did. */
export type Cleanup = (error?: unknown) => void

/**
 * One signal for one call: the caller's abort and the total deadline joined, and taken apart again when the call is
 * over, so that a long-lived signal collects no listeners.
 */
export class RequestScope {
  readonly #controller = new AbortController()
  readonly #cleanups: Cleanup[] = []
  readonly #clock: Clock
  readonly #deadline: number
  #over = false

  /** @throws ConfigurationError for an impossible timeout */
  constructor({ signal, timeout, clock }: RequestScopeOptions) {
    checkTimeout(timeout)
    this.#clock = clock
    this.#deadline = timeout === undefined ? Infinity : clock.now() + timeout
    if (signal?.aborted) {
      this.#controller.abort(signal.reason)
      return
    }
    if (signal !== undefined) {
      const abort = (): void => this.#abort(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      this.onEnd(() => signal.removeEventListener('abort', abort))
    }
    if (timeout !== undefined) {
      const expire = (): void => this.#abort(new TimeoutError('total', `The call took over ${timeout} ms`))
      this.onEnd(clock.setTimer(timeout, expire))
    }
  }

  /** Aborted by the caller, with the caller's reason, or by the deadline, with a `TimeoutError`. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Milliseconds until the deadline; `Infinity` without one. */
  get remaining(): number {
    return this.#deadline - this.#clock.now()
  }

  /** What is to be done once when the call is over, in whichever way; at once if it is. */
  onEnd(cleanup: Cleanup): void {
    if (this.#over) cleanup()
    else this.#cleanups.push(cleanup)
  }

  /** Ends the call: timer and listener are gone afterwards. */
  dispose(error?: unknown): void {
    this.#over = true
    for (const cleanup of this.#cleanups.splice(0)) cleanup(error)
  }

  #abort(reason: unknown): void {
    // An answer that nobody reads any more would otherwise keep the timer.
    this.dispose(reason)
    this.#controller.abort(reason)
  }
}
