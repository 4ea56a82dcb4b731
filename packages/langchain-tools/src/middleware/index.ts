export { replaceAudio, voiceInputMiddleware } from './replace-audio.ts'
export type { SpeechMiddlewareOptions } from './run-schema.ts'
export { type SpokenAnswerEvent, spokenAnswerMiddleware, type SpokenAnswerState } from './spoken-answer.ts'
