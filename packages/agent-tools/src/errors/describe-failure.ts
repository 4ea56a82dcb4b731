import type { SpeechToolFailure } from '../operations/artifacts.ts'
import type { SpeechToolError } from './speech-tool-error.ts'

/** The artifact of a failed call. */
export function describeFailure(error: SpeechToolError): SpeechToolFailure {
  const { code, retryable, retryAfterSeconds, requestId, spent } = error
  return {
    code,
    retryable,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(spent === undefined ? {} : { spent }),
  }
}
