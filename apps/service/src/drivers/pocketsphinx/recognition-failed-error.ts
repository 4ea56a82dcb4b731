import { EngineFailedError } from '../../ports/engine-failure.ts'

/**
 * PocketSphinx could not be loaded, or it or its thread failed at one recording; others are not touched by that. Its
 * message is meant for the operator and holds nothing of what was said.
 */
export class RecognitionFailedError extends EngineFailedError {
  override readonly name = 'RecognitionFailedError' as const
}
