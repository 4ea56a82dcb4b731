import { SvcAudioError } from './svc-audio-error.ts'

/** A call does not come from the service, or is not a finished task. Answer it with 401. */
export class WebhookVerificationError extends SvcAudioError {
  static override readonly kind = 'WebhookVerificationError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'WebhookVerificationError' as const
}
