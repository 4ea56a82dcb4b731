import { EngineFailedError } from '../../ports/engine-state.ts'

/** The engine was closed before the speech was made. Its message is meant for the operator. */
export class EngineClosedError extends Error {
  override readonly name = 'EngineClosedError' as const

  constructor() {
    super('The speech engine is closed')
  }
}

/**
 * Flite or its thread failed at one utterance. Others are not touched by it. Its message is meant for the operator and
 * holds no text that was to be spoken.
 */
export class SpeechFailedError extends EngineFailedError {
  override readonly name = 'SpeechFailedError' as const
}

/** The engine was closed before the recognition was done. Its message is meant for the operator. */
export class RecognizerClosedError extends Error {
  override readonly name = 'RecognizerClosedError' as const

  constructor() {
    super('The speech recognizer is closed')
  }
}

/**
 * PocketSphinx could not be loaded, or it or its thread failed at one recording; others are not touched by that. Its
 * message is meant for the operator and holds nothing of what was said.
 */
export class RecognitionFailedError extends EngineFailedError {
  override readonly name = 'RecognitionFailedError' as const
}

/** The engine was closed before the diarization was done. Its message is meant for the operator. */
export class DiarizerClosedError extends Error {
  override readonly name = 'DiarizerClosedError' as const

  constructor() {
    super('The diarizer is closed')
  }
}

/** The thread of the diarizer failed at one recording; others are not touched by that. Its message is meant for the operator. */
export class DiarizationFailedError extends EngineFailedError {
  override readonly name = 'DiarizationFailedError' as const
}

/** The thread that measures samples failed at one of them. Its message is meant for the operator. */
export class AnalysisFailedError extends EngineFailedError {
  override readonly name = 'AnalysisFailedError' as const
}
