export { replaceAudio, voiceInputMiddleware } from './replace-audio.ts'
export { type SpokenAnswerEvent, spokenAnswerMiddleware, type SpokenAnswerState } from './spoken-answer.ts'
