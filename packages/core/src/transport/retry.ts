import { ApiError, ConnectionError, TimeoutError } from '../errors/service-errors.ts'

/** Longest delay before the first retry, in milliseconds; it doubles with each. */
const FIRST_DELAY = 500

/** Longest delay that is chosen here, in milliseconds; the service may name a longer one. */
const MAX_DELAY = 8000

/** What a retry depends on. */
export interface RetryContext {
  /** Retries so far. */
  readonly retries: number
  readonly maxRetries: number
  /** Whether doing the request twice does no harm. */
  readonly repeatable: boolean
  /** From 0 to 1. */
  readonly random: () => number
}

/**
 * Milliseconds to wait before the same request is sent again, `undefined` when it must not be.
 *
 * A billable or creating request is retried only if the service cannot have started it: no connection
 * stood, or it answered 429 or 503. The delay is the service's `Retry-After`, however long, with up to half a second on
 * top; without one it is random, so that many clients do not come back at the same moment.
 */
export function retryDelay(
  error: unknown,
  { retries, maxRetries, repeatable, random }: RetryContext,
): number | undefined {
  if (retries >= maxRetries || !mayRepeat(error, repeatable)) return undefined
  const retryAfter = error instanceof ApiError ? error.retryAfter : undefined
  if (retryAfter !== undefined) return retryAfter * 1000 + random() * FIRST_DELAY
  return random() * Math.min(MAX_DELAY, FIRST_DELAY * 2 ** retries)
}

function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (error instanceof ApiError) {
    const { status } = error
    return status === 429 || status === 503 || (repeatable && (status === 408 || status >= 500))
  }
  if (error instanceof ConnectionError) return !error.maybeSent || repeatable
  if (error instanceof TimeoutError) return error.phase === 'connect' || (repeatable && error.phase !== 'total')
  return false
}
