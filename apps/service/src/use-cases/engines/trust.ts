import { EngineRefusedError } from '@svc-audio/engine-ports'
import type { Clock } from '../../domain/clock.ts'
import { isEngineFailure } from '../../ports/engines.ts'
import type { Log } from '../../services.ts'

/** Options of {@link Trust}. */
export interface TrustOptions {
  /** Name of the engine in the log. */
  readonly label: string
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn' | 'info'>
}

/** Different pieces of work in a row whose failures cost an engine its place, and that give it back. */
const ROW = 3

/** First time as the last choice, in milliseconds. Each further time is twice as long. */
const FIRST_PAUSE_MS = 30_000

/** Longest time as the last choice, in milliseconds. */
const LONGEST_PAUSE_MS = 900_000

/**
 * What the real work of an engine says about it. An engine may pass every probe, a single word, and fail at each long
 * recording. After failures at three different pieces of work in a row it is the last choice for a growing time. Then one
 * piece of work tries it.
 */
export class Trust {
  readonly #options: TrustOptions
  /** The pieces of work in the row of failures. */
  readonly #row = new Set<string>()
  /** Times as the last choice since it was trusted. */
  #doubts = 0
  /** Pieces in a row that worked since the last doubt. */
  #worked = 0
  #until = -Infinity
  #isTried = false

  constructor(options: TrustOptions) {
    this.#options = options
  }

  /** Whether the engine is the last choice. */
  get isDoubted(): boolean {
    if (this.#doubts === 0 || this.#worked > 0) return false
    return this.#isTried || this.#options.clock.now() < this.#until
  }

  /** Begins a piece of work. @returns Ends it: an error of the engine counts, other errors say nothing */
  begin(): (of: string, error?: unknown) => void {
    const isTrial = this.#doubts > 0 && this.#worked === 0 && !this.isDoubted
    if (isTrial) this.#isTried = true
    let isEnded = false
    return (of, error) => {
      if (isEnded) return
      isEnded = true
      if (isTrial) this.#isTried = false
      if (error === undefined) this.#pass()
      else if (isFault(error)) this.#fail(of, isTrial)
    }
  }

  #pass(): void {
    this.#row.clear()
    if (this.#doubts === 0) return
    const { label, log } = this.#options
    this.#worked += 1
    if (this.#worked === 1)
      log.info({ engine: label }, `the ${label} engine does real work again and has its place back`)
    if (this.#worked === ROW) this.#doubts = this.#worked = 0
  }

  #fail(of: string, isTrial: boolean): void {
    // It was the only choice.
    if (this.isDoubted && !isTrial) return
    this.#row.add(of)
    // After a doubt, one failure is enough until it has worked as often.
    if (this.#doubts === 0 && this.#row.size < ROW) return
    const { label, clock, log } = this.#options
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#doubts, LONGEST_PAUSE_MS)
    this.#until = clock.now() + pause
    this.#doubts += 1
    this.#worked = 0
    this.#row.clear()
    const seconds = pause / 1000
    log.warn(
      { engine: label, seconds },
      `the ${label} engine passes its probes and fails at real work: other engines go first for ${seconds} s`,
    )
  }
}

/** Whether an error is that of the engine. A language that it does not have is a mistake of the request. */
function isFault(error: unknown): boolean {
  return isEngineFailure(error) && !(error instanceof EngineRefusedError && error.param !== undefined)
}
