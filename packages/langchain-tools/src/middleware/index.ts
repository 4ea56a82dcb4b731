export { replaceAudio } from './replace-audio.ts'
export { type SpokenAnswerEvent, spokenAnswerMiddleware, type SpokenAnswerState } from './spoken-answer.ts'
export { voiceInputMiddleware } from './voice-input.ts'
