import { ApiError, InvalidRequestError, SvcAudioError } from '@svc-audio/core'
import { fromApiError } from './from-api-error.ts'
import { AGAIN, NOT_AGAIN } from './sentences.ts'
import { SpeechToolError } from './speech-tool-error.ts'

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
