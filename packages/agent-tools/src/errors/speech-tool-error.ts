import { SvcAudioError } from '@svc-audio/core'
import type { Spent } from '../run/spent.ts'

/** Reason of a failed tool call. The codes do not depend on the service. `docs/errors.md` explains each. */
export type SpeechToolErrorCode =
  | 'invalid_arguments'
  | 'text_too_long'
  | 'invalid_text'
  | 'invalid_url'
  | 'private_url'
  | 'url_not_allowed'
  | 'url_rejected'
  | 'path_not_allowed'
  | 'audio_not_found'
  | 'audio_unreadable'
  | 'audio_too_large'
  | 'audio_too_long'
  | 'transcript_not_found'
  | 'task_not_found'
  | 'task_failed'
  | 'budget_exceeded'
  | 'unauthorized'
  | 'payment_required'
  | 'rate_limited'
  | 'rejected'
  | 'unavailable'
  | 'service_failed'
  | 'timeout'
  | 'interrupted'
  | 'invalid_answer'
  | 'misconfigured'
  | 'store_failed'
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
