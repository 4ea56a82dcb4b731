import { type ApiError, type ConnectionError, SvcAudioError, type TimeoutError } from '@svc-audio/core'
import { isNamed } from './is-named.ts'

/** Statuses of a gateway that lost the answer of the service. */
const UNKNOWN_OUTCOME: ReadonlySet<number> = new Set([502, 504])

/** Errors of a request that was not sent completely. `SpeechToolError` is a store that failed in the middle. */
const NEVER_COMPLETE: ReadonlySet<string> = new Set(['ConfigurationError', 'InvalidRequestError', 'SpeechToolError'])

/**
 * Whether a failed request certainly cost nothing: the service refused it or never got it whole. A lost answer, a
 * deadline and an abort may be billed.
 */
export function isUnbilled(error: unknown): boolean {
  if (!SvcAudioError.isInstance(error)) return false
  if (isNamed<ApiError>(error, 'ApiError')) return !UNKNOWN_OUTCOME.has(error.status)
  if (isNamed<ConnectionError>(error, 'ConnectionError')) return !error.maybeSent
  if (isNamed<TimeoutError>(error, 'TimeoutError')) return error.phase === 'connect'
  return NEVER_COMPLETE.has(error.name)
}
