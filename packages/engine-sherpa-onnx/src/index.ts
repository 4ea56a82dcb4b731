export { engineKind } from './engine-kind.ts'
export {
  type Family,
  RECOGNITION_FAMILIES,
  type RecognitionFamily,
  SPEECH_FAMILIES,
  type SpeechFamily,
} from './families.ts'
export { MissingFilesError, type Precision } from './find-files.ts'
export type { ModelOptions, ModelVoice, SherpaRecognitionOptions, SherpaSpeechOptions } from './options.ts'
export { createSherpaRecognition, sherpaRecognition, type SherpaRecognitionEngine } from './recognition-engine.ts'
export { createSherpaSpeech, sherpaSpeech, type SherpaSpeechEngine } from './speech-engine.ts'
