import { integer, optional, positive } from '#options'
import { Changes } from '../upstream/changes.ts'
import { checkOptions } from '../upstream/checks.ts'
import {
  type Exchange,
  happy,
  type Reply,
  resolveResponse,
  type ResponseFunction,
  type ScriptedResponse,
} from '../upstream/reply.ts'

/**
 * Delays another response.
 * @param milliseconds Counted from the last byte of the request's body. Use {@link hold} in a test that must not depend
 *   on time.
 */
export function delay(milliseconds: number, response: ScriptedResponse = happy): ResponseFunction {
  return async (exchange) => {
    await exchange.received()
    await sleep(milliseconds, exchange.signal)
    return resolveResponse(response, exchange)
  }
}

/** A held response. */
export interface HeldResponse {
  (exchange: Exchange): Promise<Reply>
  /** Releases every current and later request. */
  release(): void
}

/** Holds another response until the test calls `release()`. */
export function hold(response: ScriptedResponse = happy): HeldResponse {
  const changes = new Changes()
  let released: true | undefined
  const held = async (exchange: Exchange): Promise<Reply> => {
    await exchange.received()
    await changes.until(() => released, exchange.signal)
    return resolveResponse(response, exchange)
  }
  return Object.assign(held, {
    release: (): void => {
      released = true
      changes.notify()
    },
  })
}

/** Never answers. The connection stays open until the client or `close()` ends it. */
export const silence: ResponseFunction = hold()

/** Answers without waiting for the request's body, like a service that refuses by the head alone. */
export function early(response: ScriptedResponse): ResponseFunction {
  return (exchange) => {
    exchange.respondEarly()
    return resolveResponse(response, exchange)
  }
}

// Fake timers of a test replace the global ones later. The upstream keeps the real ones.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** @throws The signal's reason. No timer remains. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      stopTimer(timer)
      reject(signal.reason)
    }
    const timer = startTimer(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** Options of {@link slowReader}. */
export interface SlowReaderOptions {
  /** Bytes read in one turn. @default none: reading waits for the test */
  readonly bytesPerTurn?: number
  /** Milliseconds between two turns. @default 10 */
  readonly turn?: number
}

/** A response that reads its request at the test's pace. */
export interface SlowReader {
  (exchange: Exchange): Promise<Reply>
  /** Reads this many more bytes. */
  read(bytes: number): void
  /** Reads the rest at full speed. */
  release(): void
}

/**
 * Reads the request's body slowly, then gives another response. Without `bytesPerTurn` it reads nothing until the test
 * calls `read()` or `release()`.
 * The system and Node buffer some hundred kilobytes, and a turn reads at least one whole chunk: use a body of
 * megabytes. The upstream notices a disconnect only when it reads on. Put this fault around other faults, not inside
 * them.
 */
export function slowReader(options: SlowReaderOptions = {}, response: ScriptedResponse = happy): SlowReader {
  checkOptions('slowReader()', options, {
    bytesPerTurn: optional(integer(1, 'bytes')),
    turn: optional(positive('milliseconds')),
  })
  const { bytesPerTurn, turn = 10 } = options
  const changes = new Changes()
  let allowed = 0
  const wait = async (bytes: number, signal: AbortSignal): Promise<void> => {
    allowed -= bytes
    if (bytesPerTurn === undefined) await changes.until(() => (allowed > 0 ? true : undefined), signal)
    else for (; allowed <= 0; allowed += bytesPerTurn) await sleep(turn, signal)
  }
  const allow = (bytes: number): void => {
    allowed += bytes
    changes.notify()
  }
  const reader = async (exchange: Exchange): Promise<Reply> => {
    exchange.pace(wait)
    return resolveResponse(response, exchange)
  }
  return Object.assign(reader, { read: allow, release: () => allow(Infinity) })
}
