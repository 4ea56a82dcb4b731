import { EngineFailedError } from '../../ports/engine-failure.ts'

/** The thread of the diarizer failed at one recording; others are not touched by that. Its message is meant for the operator. */
export class DiarizationFailedError extends EngineFailedError {
  override readonly name = 'DiarizationFailedError' as const
}
