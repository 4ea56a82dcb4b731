import { ApiError, mayRepeat, SvcAudioError } from '@svc-audio/core'

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
  if (ApiError.isInstance(error)) return !UNKNOWN_OUTCOME.has(error.status)
  return mayRepeat(error) || NEVER_COMPLETE.has(error.name)
}
