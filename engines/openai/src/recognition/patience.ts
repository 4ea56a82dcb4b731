import { EngineFailedError, EngineNotReadyError } from '@svc-audio/engine-ports'
import { setTimeout as sleep } from 'node:timers/promises'
import { OPERATOR_SECONDS, RequestRefusedError } from '../upstream.ts'

/** Times that one piece is sent while the others wait for it. Pieces with a response are not sent again. */
const ATTEMPTS = 3

/** Longest pause before a piece is sent again, in seconds. */
const LONGEST_PAUSE_SECONDS = OPERATOR_SECONDS - 1

/** Sends a piece of a recording, again if its response did not come. @throws the last error; the signal's reason */
export async function untilHeard<Answer>(send: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      signal.throwIfAborted()
      const pause = pauseAfter(error, attempt)
      if (pause === undefined) throw error
      await sleep(pause * 1000, undefined, { signal })
    }
  }
}

/** Seconds before a piece is sent again; `undefined` where a further request cannot help. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof EngineFailedError) || error instanceof RequestRefusedError) return undefined
  const told = error instanceof EngineNotReadyError ? error.retryAfterSeconds : undefined
  if (attempt >= ATTEMPTS || (told ?? 0) > LONGEST_PAUSE_SECONDS) return undefined
  return told ?? 0.25 * attempt
}
