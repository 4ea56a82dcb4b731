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

  constructor({ signal, timeout, clock }: RequestScopeOptions) {
    if (signal?.aborted) {
      this.#controller.abort(signal.reason)
      return
    }
    if (signal !== undefined) {
      const abort = (): void => this.#controller.abort(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      this.#cleanups.push(() => signal.removeEventListener('abort', abort))
    }
    if (timeout !== undefined) {
      const expire = (): void =>
        this.#controller.abort(new TimeoutError('total', `The call took longer than its timeout of ${timeout} ms`))
      this.#cleanups.push(clock.setTimer(timeout, expire))
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** What to throw for an error inside the call: the abort's reason once there was one, else the error itself. */
  reason(error: unknown): unknown {
    return this.signal.aborted ? this.signal.reason : error
  }

  /** Ends the call: timer and listener are gone afterwards. */
  dispose(): void {
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
  }
}
