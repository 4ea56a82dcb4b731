import { ApiError, ConnectionError, StreamTruncatedError, type SvcAudioError, TimeoutError } from '../errors.ts'

/** Passing failures in a row after which a wait throws the last one. */
export const MAX_POLL_FAILURES = 10

/** First interval in milliseconds, if the server names none. */
const FIRST_INTERVAL = 500

/** Growth factor of the interval. */
const GROWTH = 1.5

/** Longest interval in milliseconds, if the server names none. */
const MAX_INTERVAL = 10_000

/** Longest delay after a failure in milliseconds, if the server names none. */
const MAX_BACKOFF = 30_000

/**
 * Largest share of a delay that is added to it. Nothing is subtracted: no task is read sooner than the server wants.
 */
const JITTER = 0.2

/** Maximum milliseconds to add to a delay. */
const MAX_JITTER = 5000

/** Converts a server's seconds to milliseconds. Returns 0 for an absent or invalid value. */
export function milliseconds(seconds: unknown): number {
  return Number.isFinite(seconds) && Number(seconds) > 0 ? Number(seconds) * 1000 : 0
}

/** Adds jitter to a delay, so tasks created together are not read together. @param random from 0 to 1 */
export function spread(delay: number, random: number): number {
  return delay + random * Math.min(JITTER * delay, MAX_JITTER)
}

/** The interval before the next read, if the server names none. @param reads number of reads so far, 1 or more */
export function growingInterval(reads: number): number {
  return Math.min(MAX_INTERVAL, FIRST_INTERVAL * GROWTH ** (reads - 1))
}

/** The delay after the n-th failure in a row: random, up to a limit that doubles. @param random from 0 to 1 */
export function backoff(failures: number, random: number): number {
  return random * Math.min(MAX_BACKOFF, FIRST_INTERVAL * 2 ** (failures - 1))
}

/** Whether an error says nothing about the task, so the next read may succeed. */
export function isPassing(error: unknown): error is SvcAudioError {
  if (error instanceof ApiError) return error.retryable
  return [ConnectionError, TimeoutError, StreamTruncatedError].some((kind) => error instanceof kind)
}
