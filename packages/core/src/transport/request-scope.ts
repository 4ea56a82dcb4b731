import { TimeoutError } from '../errors.ts'
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

/**
 * Settles as the promise does, or rejects with the signal's reason if the signal aborts first. The work itself continues; its
 * later failure is nobody's. It leaves no listener.
 */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([aborted, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Waits. An abort of a signal rejects at once with its reason. It leaves no timer and no listener. */
export async function sleep(milliseconds: number, signals: readonly AbortSignal[], clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const clear = clock.setTimer(milliseconds, resolve)
  await Promise.race(signals.map((signal) => unlessAborted(promise, signal))).finally(() => {
    clear()
    // Settles the other races, which removes their listeners.
    resolve()
  })
}

/**
 * A generator that closes its source as soon as the consumer leaves. A plain generator does not: before its first
 * `next()` it runs no `finally`, and during a pending read it waits until the source answers.
 *
 * @param abort Makes a pending read of the source settle. It may be called after the end.
 */
export function cancellable<Item>(
  generator: AsyncGenerator<Item, void, undefined>,
  abort: () => void,
): AsyncGenerator<Item, void, undefined> {
  const finish = generator.return.bind(generator)
  const fail = generator.throw.bind(generator)
  generator.return = (value) => {
    abort()
    return finish(value)
  }
  generator.throw = (error) => {
    abort()
    return fail(error)
  }
  return generator
}
