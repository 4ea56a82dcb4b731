export { begun, type NaturalOptions, renderNatural, type SpeakNaturally } from './natural-speech.ts'
export { planSpeech, type SpeechStep, splitSentences, type TextPiece } from './plan-speech.ts'
export {
  type RenderOptions,
  renderSpeech,
  silence,
  type Speak,
  type SpeechLength,
  speechLength,
  splitPcm,
} from './render-speech.ts'
