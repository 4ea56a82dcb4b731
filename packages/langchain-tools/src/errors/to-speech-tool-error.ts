import { type ApiError, type InvalidRequestError, SvcAudioError } from '@svc-audio/core'
import { SpeechToolError } from './speech-tool-error.ts'

/**
 * Any failure as one that a model may see. Nothing of the original message is passed on: it may repeat text of the
 * service, an address or a path. Only the rules for `input`, which core words itself, reach the model as they are.
 */
export function toSpeechToolError(error: unknown): SpeechToolError {
  if (isNamed<SpeechToolError>(error, 'SpeechToolError')) return error
  if (isNamed<ApiError>(error, 'ApiError')) return fromApiError(error)
  if (isNamed<InvalidRequestError>(error, 'InvalidRequestError')) return fromInvalidRequest(error)
  const name = SvcAudioError.isInstance(error) ? error.name : ''
  const known = FAILURES[name]
  if (known !== undefined) return new SpeechToolError(known.code, known.message, { ...known, cause: error })
  return new SpeechToolError('misconfigured', SET_UP_WRONG, { cause: error })
}

const AGAIN = 'Try again later.'
const NOT_AGAIN = 'Trying again will not help: tell the user.'
const SET_UP_WRONG = `This tool is not set up correctly. ${NOT_AGAIN}`

type Failure = Pick<SpeechToolError, 'code' | 'message' | 'retryable'>

/** By the names of core's error classes: a second copy of core, as nested installs make it, has other classes. */
const FAILURES: Readonly<Record<string, Failure>> = {
  ConnectionError: { code: 'unavailable', message: `The audio service cannot be reached. ${AGAIN}`, retryable: true },
  TimeoutError: { code: 'timeout', message: `The audio service took too long. ${AGAIN}`, retryable: true },
  StreamTruncatedError: {
    code: 'interrupted',
    message: `The audio service's answer ended early and was dropped. ${AGAIN}`,
    retryable: true,
  },
  ProtocolError: {
    code: 'invalid_answer',
    message: `The audio service gave an answer that cannot be used. ${NOT_AGAIN}`,
    retryable: false,
  },
}

/** Whether it is the named error of this package's or any other copy of core. */
function isNamed<Named extends SvcAudioError>(error: unknown, name: Named['name']): error is Named {
  return SvcAudioError.isInstance(error) && error.name === name
}

function fromApiError(error: ApiError): SpeechToolError {
  const { retryable, retryAfter } = error
  const fail = (code: SpeechToolError['code'], message: string): SpeechToolError =>
    new SpeechToolError(code, message, { retryable, cause: error })
  if (error.status === 401 || error.status === 403) {
    return fail('unauthorized', `The audio service refused this application's key. ${NOT_AGAIN}`)
  }
  if (error.status === 404)
    return fail('misconfigured', `The voice or model that is set here does not exist. ${NOT_AGAIN}`)
  if (error.status === 408) return fail('timeout', `The audio service took too long. ${AGAIN}`)
  if (error.status === 413) return fail('audio_too_large', 'The audio is too large for the service. Use a shorter one.')
  if (error.status === 415) return fail('audio_unreadable', 'The service cannot read this as audio. Use another one.')
  if (error.status === 429) {
    const when = retryAfter === undefined ? AGAIN : `Try again in ${Math.ceil(retryAfter)} seconds.`
    return fail('rate_limited', `The audio service is busy. ${when}`)
  }
  if (error.status >= 500) return fail('unavailable', `The audio service is not available. ${AGAIN}`)
  if (error.param === 'url')
    return fail('url_rejected', 'The audio service did not take this URL. Use a reference instead.')
  const when = retryable ? AGAIN : 'The same request will fail again.'
  return fail('rejected', `The audio service did not accept this request. ${when}`)
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
  return new SpeechToolError('misconfigured', SET_UP_WRONG, { cause: error })
}
