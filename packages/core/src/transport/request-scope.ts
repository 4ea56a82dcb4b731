import { ConfigurationError } from '../errors/configuration-error.ts'
import { TimeoutError } from '../errors/timeout-error.ts'
import type { Clock } from './transport.ts'

/** What may end a call from outside. */
export interface RequestScopeOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the whole call. */
  readonly timeout?: number | undefined
  readonly clock: Clock
}

/**
 * One signal for one call: the caller's abort and the total deadline joined, and taken apart again when the call is
 * over, so that a long-lived signal collects no listeners.
 */
export class RequestScope {
  readonly #controller = new AbortController()
  readonly #cleanups: (() => void)[] = []

  /** @throws ConfigurationError for an impossible timeout */
  constructor({ signal, timeout, clock }: RequestScopeOptions) {
    checkTimeout(timeout)
    if (signal?.aborted) {
      this.#controller.abort(signal.reason)
      return
    }
    if (signal !== undefined) {
      const abort = (): void => this.#abort(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      this.#cleanups.push(() => signal.removeEventListener('abort', abort))
    }
    if (timeout !== undefined) {
      const expire = (): void =>
        this.#abort(new TimeoutError('total', `The call took longer than its timeout of ${timeout} ms`))
      this.#cleanups.push(clock.setTimer(timeout, expire))
    }
  }

  /** Aborted by the caller, with the caller's reason, or by the deadline, with a `TimeoutError`. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Ends the call: timer and listener are gone afterwards. */
  dispose(): void {
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
  }

  #abort(reason: unknown): void {
    // An answer that nobody reads any more would otherwise keep the timer.
    this.dispose()
    this.#controller.abort(reason)
  }
}

/** @throws ConfigurationError when a timeout is given that is no number of milliseconds greater than 0 */
export function checkTimeout(timeout: number | undefined): void {
  if (timeout === undefined || (typeof timeout === 'number' && timeout > 0)) return
  throw new ConfigurationError('timeout must be a number of milliseconds greater than 0')
}
