import { ApiError, ConnectionError, TimeoutError } from '../errors.ts'

/** Longest delay before the first retry, in milliseconds. It doubles with each retry. */
const FIRST_DELAY = 500

/** Longest delay that the client chooses, in milliseconds. The service may ask for a longer one. */
const MAX_DELAY = 8000

/** Input of {@link retryDelay}. */
export interface RetryContext {
  /** Retries so far. */
  readonly retries: number
  /** Retries that the call may make at most. */
  readonly maxRetries: number
  /** Whether the request can safely be sent twice. */
  readonly repeatable: boolean
  /** From 0 to 1. */
  readonly random: () => number
}

/**
 * Milliseconds before the retry, or `undefined` if the request must not be retried.
 *
 * A billable or creating request is retried only if the service cannot have started it: there was no connection, or the
 * service answered 429 or 503. The delay is the service's `Retry-After`, however long, plus up to half a second.
 * Without `Retry-After` it is random, so many clients do not retry at the same moment.
 */
export function retryDelay(
  error: unknown,
  { retries, maxRetries, repeatable, random }: RetryContext,
): number | undefined {
  if (retries >= maxRetries || !mayRepeat(error, repeatable)) return undefined
  const retryAfter = ApiError.isInstance(error) ? error.retryAfter : undefined
  if (retryAfter !== undefined) return retryAfter * 1000 + random() * FIRST_DELAY
  return random() * Math.min(MAX_DELAY, FIRST_DELAY * 2 ** retries)
}

/**
 * Whether a failed request may be sent again without a second bill. This is the rule of the client's own retries, for
 * programs and frameworks that retry themselves. Anything but an error of a request gives `false`.
 * @param repeatable Whether the request only read, or the caller accepts that the work is done twice.
 * @example
 * if (mayRepeat(error)) queue.add(body)
 */
export function mayRepeat(error: unknown, repeatable = false): boolean {
  if (ApiError.isInstance(error)) {
    const { status } = error
    // #region statuses
    return status === 429 || status === 503 || (repeatable && (status === 408 || status >= 500))
    // #endregion
  }
  if (ConnectionError.isInstance(error)) return !error.maybeSent || repeatable
  if (TimeoutError.isInstance(error)) return error.phase === 'connect' || (repeatable && error.phase !== 'total')
  return false
}
