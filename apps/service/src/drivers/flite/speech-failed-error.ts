import { EngineFailedError } from '../../ports/engine-failure.ts'

/**
 * Flite or its thread failed at one utterance. Others are not touched by it. Its message is meant for the operator and
 * holds no text that was to be spoken.
 */
export class SpeechFailedError extends EngineFailedError {
  override readonly name = 'SpeechFailedError' as const
}
