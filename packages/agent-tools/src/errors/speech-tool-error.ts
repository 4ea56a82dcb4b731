import { SvcAudioError } from '@svc-audio/core'
import type { Spent } from '../run/spent.ts'

/** Reason of a failed tool call. The codes do not depend on the service. */
export type SpeechToolErrorCode =
  /** An argument is missing, empty or of the wrong type. */
  | 'invalid_arguments'
  | 'text_too_long'
  /** The text breaks a rule, e.g. a pause that is too long, or holds nothing that can be spoken. */
  | 'invalid_text'
  /** Not a public https URL. */
  | 'invalid_url'
  /** A URL to localhost, a loopback, link-local or private address. */
  | 'private_url'
  /** The application does not accept this URL. */
  | 'url_not_allowed'
  /** The service did not take the URL or could not fetch it. */
  | 'url_rejected'
  /** Outside `allowedRoot`. */
  | 'path_not_allowed'
  /** No such reference or file. */
  | 'audio_not_found'
  /** Not audio that the service can read. */
  | 'audio_unreadable'
  | 'audio_too_large'
  /** Longer than `maxAudioSeconds`. */
  | 'audio_too_long'
  /** No transcript is stored under this reference. */
  | 'transcript_not_found'
  /** No transcription of this user has this task id. */
  | 'task_not_found'
  /** The transcription task failed. */
  | 'task_failed'
  /** The run has used up a budget that the application set. */
  | 'budget_exceeded'
  /** The service refused the key. */
  | 'unauthorized'
  /** The account of the service has no credit. */
  | 'payment_required'
  | 'rate_limited'
  /** The service refused the request for another reason. */
  | 'rejected'
  /** The service cannot be reached or is not ready. */
  | 'unavailable'
  /** The service had an internal error. */
  | 'service_failed'
  | 'timeout'
  /** The answer ended early. */
  | 'interrupted'
  /** The answer breaks the interface. */
  | 'invalid_answer'
  /** A voice, model or option that the application set does not work. */
  | 'misconfigured'
  /** The `AudioStore` failed. */
  | 'store_failed'
  /** The audio cannot be played on this machine. */
  | 'playback_failed'

/** Options of {@link SpeechToolError}. */
export interface SpeechToolErrorOptions {
  /** Whether the same call may succeed later. @default false */
  readonly retryable?: boolean | undefined
  /** Seconds to wait before a retry. @default unknown */
  readonly retryAfterSeconds?: number | undefined
  /** The `x-request-id` of the service's response. @default no response came */
  readonly requestId?: string | undefined
  /** What the call may be billed for. @default it certainly cost nothing */
  readonly spent?: Spent | undefined
  /** The original error, for the application. The model never sees it. */
  readonly cause?: unknown
}

/**
 * A tool call that failed. The message is meant for the model: short, no key, no path, no text of the service. `cause`
 * holds the original error for the application.
 */
export class SpeechToolError extends SvcAudioError {
  static override readonly kind = 'SpeechToolError'
  /**
   * The class name: programs compare it. `SpeechToolError.isInstance` also knows errors of a second copy of the
   * package.
   */
  override readonly name = 'SpeechToolError' as const
  /** The reason, for programs. */
  readonly code: SpeechToolErrorCode
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** Seconds to wait before a retry, if the service said so. */
  readonly retryAfterSeconds: number | undefined
  /** What the call may be billed for. `undefined` if it certainly cost nothing. */
  readonly spent: Spent | undefined

  constructor(code: SpeechToolErrorCode, message: string, options: SpeechToolErrorOptions = {}) {
    const { cause, requestId, retryable = false, retryAfterSeconds, spent } = options
    super(message, { ...(cause === undefined ? {} : { cause }), requestId })
    this.code = code
    this.retryable = retryable
    this.retryAfterSeconds = retryAfterSeconds
    this.spent = spent
    // Tracers record message and stack only, and the message is the model's.
    if (requestId !== undefined) this.stack = `${this.stack ?? message}\n    request id: ${requestId}`
  }
}
