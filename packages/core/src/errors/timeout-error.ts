import { SvcAudioError, type SvcAudioErrorOptions } from './svc-audio-error.ts'

/** What took too long. */
export type TimeoutPhase = 'connect' | 'headers' | 'idle' | 'events' | 'total'

/** A deadline passed. */
export class TimeoutError extends SvcAudioError {
  override readonly name = 'TimeoutError' as const
  readonly phase: TimeoutPhase

  constructor(phase: TimeoutPhase, message: string, options?: SvcAudioErrorOptions) {
    super(message, options)
    this.phase = phase
  }
}
