import { EngineFailedError } from '../../ports/engine-state.ts'

/** The engine was closed before the end of the synthesis. The message is for the operator. */
export class EngineClosedError extends Error {
  override readonly name = 'EngineClosedError' as const

  constructor() {
    super('The speech engine is closed')
  }
}

/**
 * Flite or its thread failed at one utterance; others are not affected. The message is for the operator and never
 * contains the utterance's text.
 */
export class SpeechFailedError extends EngineFailedError {
  override readonly name = 'SpeechFailedError' as const
}

/** The engine was closed before the end of the recognition. The message is for the operator. */
export class RecognizerClosedError extends Error {
  override readonly name = 'RecognizerClosedError' as const

  constructor() {
    super('The speech recognizer is closed')
  }
}

/**
 * PocketSphinx could not be loaded, or it or its thread failed at one recording; others are not affected. The message
 * is for the operator and never contains recognized text.
 */
export class RecognitionFailedError extends EngineFailedError {
  override readonly name = 'RecognitionFailedError' as const
}

/** The engine was closed before the end of the diarization. The message is for the operator. */
export class DiarizerClosedError extends Error {
  override readonly name = 'DiarizerClosedError' as const

  constructor() {
    super('The diarizer is closed')
  }
}

/** The thread of the diarizer failed at one recording; others are not affected. The message is for the operator. */
export class DiarizationFailedError extends EngineFailedError {
  override readonly name = 'DiarizationFailedError' as const
}

/** The thread that measures samples failed at one of them. The message is for the operator. */
export class AnalysisFailedError extends EngineFailedError {
  override readonly name = 'AnalysisFailedError' as const
}
