import { SvcAudioError } from '@svc-audio/core'

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

/** What a call has spent, for the application. */
export interface Spent {
  /** Characters of text (UTF-16 units), or seconds of audio as far as their length is known. */
  readonly unit: 'characters' | 'audioSeconds'
  /** By this call; 0 for a stored transcript. */
  readonly call: number
  /** By all calls of the run so far, this one included. */
  readonly run: number
  /** By the user today, if `dailyBudget` limits this unit. */
  readonly day?: number
}

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

/** Artifact of a failed call. */
export interface SpeechToolFailure {
  /** The reason, for programs. */
  readonly code: SpeechToolErrorCode
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** Seconds to wait before a retry, if the service said so. */
  readonly retryAfterSeconds?: number
  /** The answer's `x-request-id`, if an answer came. */
  readonly requestId?: string
  /** Present if the call may be billed in spite of its failure. */
  readonly spent?: Spent
}

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

/** A failure of the application's `AudioStore`. Its text may hold paths or addresses, so the model does not see it. */
export function storeFailed(cause: unknown): SpeechToolError {
  return new SpeechToolError('store_failed', 'Audio cannot be stored or read here at the moment. Tell the user.', {
    cause,
  })
}

/** Awaits work of a store of the application. @throws SpeechToolError `store_failed` */
export async function ofStore<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw storeFailed(error)
  }
}

/** A number of things as people say it, e.g. `1 second`. @param unit In the singular. */
export function countOf(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** The model may repeat the call later. */
export const AGAIN = 'Try again in a minute.'

/** The model must not repeat the call. */
export const NOT_AGAIN = 'Trying again will not help: tell the user.'
