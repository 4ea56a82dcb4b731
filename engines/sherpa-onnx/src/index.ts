export { createSherpaDiarization, sherpaDiarization, type SherpaDiarizationEngine } from './diarization-engine.ts'
export { engineKind } from './engine-kind.ts'
export { describeModel, MAX_VOICES, type ModelDescription } from './describe-model.ts'
export {
  type Family,
  RECOGNITION_FAMILIES,
  type RecognitionFamily,
  SPEAKER_FAMILIES,
  type SpeakerFamily,
  SPEECH_FAMILIES,
  type SpeechFamily,
} from './families.ts'
export { MissingFilesError, type ModelFiles, type Precision } from './model-files.ts'
export { completeModel } from './own-downloads.ts'
export type {
  VadOptions,
  ModelOptions,
  ModelVoice,
  SherpaDiarizationOptions,
  SherpaRecognitionOptions,
  SherpaSpeechOptions,
} from './options.ts'
export { createSherpaRecognition, sherpaRecognition, type SherpaRecognitionEngine } from './recognition-engine.ts'
export { createSherpaSpeech, sherpaSpeech, type SherpaSpeechEngine } from './speech-engine.ts'
