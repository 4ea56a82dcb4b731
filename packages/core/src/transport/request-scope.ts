import { TimeoutError } from '../errors/service-errors.ts'
import type { Clock } from './transport.ts'

/** Events that end a call from outside. */
export interface RequestScopeOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the whole call. */
  readonly timeout?: number | undefined
  readonly clock: Clock
}

/** Runs when a call ends. It receives the error of a failed call. */
export type Cleanup = (error?: unknown) => void

/**
 * One signal for one call: it joins the caller's abort and the total deadline. It removes its listeners when the call
 * ends, so a long-lived signal collects none.
 */
export class RequestScope {
  readonly #controller = new AbortController()
  readonly #cleanups: Cleanup[] = []
  readonly #clock: Clock
  readonly #deadline: number
  #over = false

  constructor({ signal, timeout, clock }: RequestScopeOptions) {
    this.#clock = clock
    this.#deadline = timeout === undefined ? Infinity : clock.now() + timeout
    if (signal?.aborted) {
      this.#controller.abort(signal.reason)
      return
    }
    if (signal !== undefined) {
      const abort = (): void => this.abort(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      this.onEnd(() => signal.removeEventListener('abort', abort))
    }
    if (timeout !== undefined) {
      const expire = (): void => this.abort(new TimeoutError('total', `The call took over ${timeout} ms`))
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

  /** Runs `cleanup` once when the call ends, or at once if it has ended. */
  onEnd(cleanup: Cleanup): void {
    if (this.#over) cleanup()
    else this.#cleanups.push(cleanup)
  }

  /** Ends the call and removes its timer and listener. */
  dispose(error?: unknown): void {
    this.#over = true
    for (const cleanup of this.#cleanups.splice(0)) cleanup(error)
  }

  /** Ends the call with this reason. */
  abort(reason: unknown): void {
    // Otherwise a response without a reader keeps the timer.
    this.dispose(reason)
    this.#controller.abort(reason)
  }
}
