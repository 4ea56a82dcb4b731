import type { ApiError } from '@svc-audio/core'
import { AGAIN, NOT_AGAIN } from './sentences.ts'
import { SpeechToolError, type SpeechToolErrorCode } from './speech-tool-error.ts'

/** Converts an answer with an error status to an instruction for the model. */
export function fromApiError(error: ApiError): SpeechToolError {
  const [code, message, retryable = error.retryable] = byCode(error) ?? byStatus(error)
  const { requestId, retryAfter } = error
  return new SpeechToolError(code, message, { retryable, requestId, retryAfterSeconds: retryAfter, cause: error })
}

type Translation = readonly [code: SpeechToolErrorCode, message: string, retryable?: boolean]

/** Codes and fields of the service that tell more than the status. */
function byCode({ code, param, status }: ApiError): Translation | undefined {
  if (status >= 500 || status === 401 || status === 403 || status === 429) return undefined
  if (code === 'unspeakable_text') {
    return [
      'invalid_text',
      'The voice cannot speak this text. Write it in words and letters of the language that the voice speaks, without emoji or other scripts.',
    ]
  }
  if (code === 'input_too_long') return ['text_too_long', 'The text is too long for the audio service. Split it.']
  if (code === 'url_unreachable' || (status === 404 && isUrl(param))) {
    return ['url_rejected', 'There is no audio at this URL. Check the address, or use another one.']
  }
  if (isUrl(param)) return ['url_rejected', 'The audio service did not take this URL. Use a reference instead.']
  if (param === 'file_id' || code === 'file_not_found') {
    return ['audio_not_found', 'The audio of this reference does not exist any more. Use another one.']
  }
  if (code === 'task_not_found') {
    return ['task_not_found', 'There is no transcription with this task id. Start a new one.']
  }
  return undefined
}

function isUrl(param: string | undefined): boolean {
  return param === 'url' || param === 'audio_url'
}

/** A time as people say it. */
function againIn(seconds: number): string {
  if (seconds <= 1) return 'Try again in a second.'
  if (seconds <= 90) return `Try again in ${Math.ceil(seconds)} seconds.`
  if (seconds <= 5400) return `Try again in ${Math.ceil(seconds / 60)} minutes.`
  return `Try again in ${Math.ceil(seconds / 3600)} hours.`
}

function byStatus({ status, retryAfter, retryable }: ApiError): Translation {
  if (status === 401 || status === 403) {
    return ['unauthorized', `The audio service refused this application's key. ${NOT_AGAIN}`]
  }
  if (status === 402) {
    return ['payment_required', `The account of the audio service has no credit left. ${NOT_AGAIN}`]
  }
  if (status === 404) return ['misconfigured', `The voice or model that is set here does not exist. ${NOT_AGAIN}`]
  if (status === 408) return ['timeout', `The audio service took too long. ${AGAIN}`]
  if (status === 413) return ['audio_too_large', 'The audio is too large for the service. Use a shorter one.']
  if (status === 415) return ['audio_unreadable', 'The service cannot read this as audio. Use another one.']
  if (status === 429) {
    const when = retryAfter === undefined ? AGAIN : againIn(retryAfter)
    return ['rate_limited', `The audio service is busy. ${when}`]
  }
  // A gateway or a service that starts will be back; an internal error comes again with the same request.
  if ([502, 503, 504].includes(status)) return ['unavailable', `The audio service is not available. ${AGAIN}`]
  if (status >= 500) return ['service_failed', `The audio service failed on this request. ${NOT_AGAIN}`, false]
  const when = retryable ? AGAIN : 'The same request will fail again: change it, or tell the user.'
  return ['rejected', `The audio service did not accept this request. ${when}`]
}
