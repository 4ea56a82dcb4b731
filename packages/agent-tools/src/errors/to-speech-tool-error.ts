import { ApiError, InvalidRequestError, SvcAudioError } from '@svc-audio/core'
import { AGAIN, countOf, NOT_AGAIN, SpeechToolError, type SpeechToolErrorCode } from './speech-tool-error.ts'

/**
 * Any error as one that a model may see. Nothing of the original message is passed on: it may repeat text of the
 * service, an address or a path. Only the rules for `input`, which core words itself, reach the model as they are.
 */
export function toSpeechToolError(error: unknown): SpeechToolError {
  if (SpeechToolError.isInstance(error)) return error
  if (ApiError.isInstance(error)) return fromApiError(error)
  if (InvalidRequestError.isInstance(error)) return fromInvalidRequest(error)
  const known = SvcAudioError.isInstance(error) ? FAILURES[error.name] : undefined
  const requestId = SvcAudioError.isInstance(error) ? error.requestId : undefined
  const { code, message, retryable } = known ?? INTERNAL
  return new SpeechToolError(code, message, { retryable, requestId, cause: error })
}

type Failure = Pick<SpeechToolError, 'code' | 'message' | 'retryable'>

const INTERNAL: Failure = {
  code: 'misconfigured',
  message: `This tool is not set up correctly. ${NOT_AGAIN}`,
  retryable: false,
}

/** By the names of core's error classes: a second copy of core, as nested installs make it, has other classes. */
const FAILURES: Readonly<Record<string, Failure>> = {
  ConnectionError: { code: 'unavailable', message: `The audio service cannot be reached. ${AGAIN}`, retryable: true },
  TimeoutError: { code: 'timeout', message: `The audio service took too long. ${AGAIN}`, retryable: true },
  TaskTimeoutError: { code: 'timeout', message: `The audio service took too long. ${AGAIN}`, retryable: true },
  StreamTruncatedError: {
    code: 'interrupted',
    message: `The audio service's answer ended early and was dropped. ${AGAIN}`,
    retryable: true,
  },
  StreamFailedError: {
    code: 'service_failed',
    message: `The audio service failed on this request. ${NOT_AGAIN}`,
    retryable: false,
  },
  TaskFailedError: {
    code: 'task_failed',
    message: 'The audio service could not transcribe this audio. Use another audio, or tell the user.',
    retryable: false,
  },
  ProtocolError: {
    code: 'invalid_answer',
    message: `The audio service gave an answer that cannot be used. ${NOT_AGAIN}`,
    retryable: false,
  },
}

function fromInvalidRequest(error: InvalidRequestError): SpeechToolError {
  if (error.param === 'input') {
    return new SpeechToolError('invalid_text', error.message.replace(/^input:/, 'text:'), { cause: error })
  }
  if (error.code === 'file_too_large') {
    return new SpeechToolError('audio_too_large', 'The audio is too large. Use a shorter one.', { cause: error })
  }
  if (error.param === 'file') {
    return new SpeechToolError('audio_unreadable', 'This audio cannot be read. Use another one.', { cause: error })
  }
  return new SpeechToolError(INTERNAL.code, INTERNAL.message, { cause: error })
}

/** Converts an answer with an error status to an instruction for the model. */
function fromApiError(error: ApiError): SpeechToolError {
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
  if (seconds <= 90) return `Try again in ${countOf(Math.ceil(seconds), 'second')}.`
  if (seconds <= 5400) return `Try again in ${countOf(Math.ceil(seconds / 60), 'minute')}.`
  return `Try again in ${countOf(Math.ceil(seconds / 3600), 'hour')}.`
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
