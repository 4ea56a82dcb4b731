import { SvcAudioError } from '@svc-audio/core'

/** Why a tool call failed. The words are this package's own, the same for every service. */
export type SpeechToolErrorCode =
  /** The model left out the argument, or it is empty or no string. */
  | 'invalid_arguments'
  | 'text_too_long'
  /** The text breaks a rule, e.g. a pause that is too long. */
  | 'invalid_text'
  /** Not a public https URL. */
  | 'invalid_url'
  /** A URL to localhost, a loopback, link-local or private address. */
  | 'private_url'
  /** The service did not take the URL. */
  | 'url_rejected'
  /** Outside `allowedRoot`. */
  | 'path_not_allowed'
  /** No such reference or file. */
  | 'audio_not_found'
  /** Not audio that the service can read. */
  | 'audio_unreadable'
  | 'audio_too_large'
  /** The service refused the key. */
  | 'unauthorized'
  | 'rate_limited'
  /** The service refused the request for another reason. */
  | 'rejected'
  /** The service cannot be reached or failed. */
  | 'unavailable'
  | 'timeout'
  /** The answer ended early. */
  | 'interrupted'
  /** The answer is not what the interface documents. */
  | 'invalid_answer'
  /** A voice, model or option that this application set does not work. */
  | 'misconfigured'
  /** The `AudioStore` failed. */
  | 'store_failed'

/**
 * A tool call that failed. The message is meant for the model: short, no key, no path, nothing of the service's own
 * text; `cause` holds the original error for the application. An agent never sees it thrown: it gets a tool message
 * with `status: 'error'`. Whoever invokes a tool without a tool call gets it thrown.
 */
export class SpeechToolError extends SvcAudioError {
  override readonly name = 'SpeechToolError' as const
  readonly code: SpeechToolErrorCode
  /** Whether the same call may succeed later. */
  readonly retryable: boolean

  constructor(code: SpeechToolErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryable = options.retryable ?? false
  }
}
