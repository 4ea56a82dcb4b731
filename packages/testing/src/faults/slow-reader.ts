import { integer, optional, positive } from '@svc-audio/options'
import { Changes } from '../upstream/changes.ts'
import { checkOptions } from '../upstream/checks.ts'
import { type ScriptedResponse, type Exchange, happy, type Reply, resolveResponse } from '../upstream/reply.ts'
import { sleep } from './waits.ts'

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
