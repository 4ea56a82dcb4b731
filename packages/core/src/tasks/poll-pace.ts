import { ApiError, ConnectionError, TimeoutError } from '../errors/service-errors.ts'
import { StreamTruncatedError } from '../errors/stream-errors.ts'
import type { SvcAudioError } from '../errors/svc-audio-error.ts'

/** Failures of a kind that passes, one after another, after which a wait gives up and throws the last one. */
export const MAX_POLL_FAILURES = 10

/** The first interval where the server names none, in milliseconds. */
const FIRST_INTERVAL = 500

/** By how much each interval is longer than the one before. */
const GROWTH = 1.5

/** The longest interval where the server names none, in milliseconds. */
const MAX_INTERVAL = 10_000

/** The longest delay after a failure where the server names none, in milliseconds. */
const MAX_BACKOFF = 30_000

/** Part of a delay that is added to it at most. Nothing is taken away: no task is read sooner than the server wants. */
const JITTER = 0.2

/** Most milliseconds that are added to a delay. */
const MAX_JITTER = 5000

/** Milliseconds of a server's seconds; 0 when it named none, or none that makes sense. */
export function milliseconds(seconds: unknown): number {
  return Number.isFinite(seconds) && Number(seconds) > 0 ? Number(seconds) * 1000 : 0
}

/** A delay with its jitter, so that tasks made together are not asked for together. @param random from 0 to 1 */
export function spread(delay: number, random: number): number {
  return delay + random * Math.min(JITTER * delay, MAX_JITTER)
}

/** The interval before the next read where the server names none. @param reads how many there were, 1 or more */
export function growingInterval(reads: number): number {
  return Math.min(MAX_INTERVAL, FIRST_INTERVAL * GROWTH ** (reads - 1))
}

/** The delay after the n-th failure in a row: anything up to a limit that doubles. @param random from 0 to 1 */
export function backoff(failures: number, random: number): number {
  return random * Math.min(MAX_BACKOFF, FIRST_INTERVAL * 2 ** (failures - 1))
}

/** Whether an error says nothing about the task, and the next read may well succeed. */
export function isPassing(error: unknown): error is SvcAudioError {
  if (error instanceof ApiError) return error.retryable
  return [ConnectionError, TimeoutError, StreamTruncatedError].some((kind) => error instanceof kind)
}
