import { Changes } from '../upstream/changes.ts'
import { type Answer, type Exchange, happy, type Reply, resolveAnswer } from '../upstream/reply.ts'
import { sleep } from './waits.ts'

/** Options of {@link slowReader}. */
export interface SlowReaderOptions {
  /** Bytes read in one turn. Absent, nothing is read until the test says so. */
  readonly bytesPerTurn?: number
  /** Milliseconds between two turns. @default 10 */
  readonly turn?: number
}

/** An answer that reads its request as the test tells it to. */
export interface SlowReader {
  (exchange: Exchange): Promise<Reply>
  /** Reads this many bytes more. */
  read(bytes: number): void
  /** Reads the rest at full speed. */
  release(): void
}

/**
 * Reads the request's body slowly or, without `bytesPerTurn`, not at all until the test calls `read()` or `release()`;
 * then gives another answer. The system and Node hold some hundred kilobytes beyond what is read, and a turn reads at
 * least one chunk as it came, so a test needs a body of megabytes to feel it. A disconnect is noticed when the
 * reading goes on. It goes around other faults, not into them.
 */
export function slowReader({ bytesPerTurn, turn = 10 }: SlowReaderOptions = {}, answer: Answer = happy): SlowReader {
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
    return resolveAnswer(answer, exchange)
  }
  return Object.assign(reader, { read: allow, release: () => allow(Infinity) })
}
