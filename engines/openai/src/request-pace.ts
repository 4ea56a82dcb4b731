import { setTimeout as sleep } from 'node:timers/promises'

const MINUTE_MS = 60_000

/** Options of {@link RequestPace}. */
export interface RequestPaceOptions {
  /** Maximum requests that start within any minute. */
  readonly perMinute: number
  /** Longest wait for a turn, in milliseconds. */
  readonly mostWait: number
  /** Milliseconds of a clock that never goes back. @default `performance.now` */
  readonly now?: () => number
  /** @default the timer of Node */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}

/** Keeps requests below a limit of the server: each waits for its turn, in the order of the calls. */
export class RequestPace {
  readonly #options: Required<RequestPaceOptions>
  /** Starts of the last requests, also of those that still wait. */
  readonly #starts: number[] = []

  constructor(options: RequestPaceOptions) {
    this.#options = {
      now: () => performance.now(),
      wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
      ...options,
    }
  }

  /**
   * Waits for the turn of a request. An aborted turn stays used: the limit is never exceeded.
   * @returns `undefined` when the request may start; else the seconds until it could, because the wait is too long
   * @throws the signal's reason
   */
  async turn(signal: AbortSignal): Promise<number | undefined> {
    const { perMinute, mostWait, now, wait } = this.#options
    signal.throwIfAborted()
    const at = now()
    const earliest = (this.#starts.at(-perMinute) ?? -Infinity) + MINUTE_MS
    const start = this.#starts.length < perMinute ? at : Math.max(at, earliest)
    if (start - at > mostWait) return Math.ceil((start - at) / 1000)
    this.#starts.push(start)
    if (this.#starts.length > perMinute) this.#starts.shift()
    if (start > at) await wait(start - at, signal)
    return undefined
  }
}
