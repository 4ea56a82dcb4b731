export { type DetectedUtterance, detectUtterances, type DetectUtterancesOptions } from './detect/detect-utterances.ts'
export { MelodyMeasure } from './detect/melody-measure.ts'
export { sileroSpeech } from './detect/silero.ts'
export {
  SPEECH_FRAME_SAMPLES,
  type SpeechDetection,
  type SpeechDetector,
  speechOption,
} from './detect/speech-detector.ts'
export {
  INTERRUPTED,
  keptAfterBargeIn,
  type KeptPart,
  type TurnCall,
  type TurnMessage,
  UNKNOWN_RESULT,
} from './kept-turn.ts'
export { type VoiceEvent, voiceEvent, type VoiceEventBody, type VoiceEventTime, type VoiceStage } from './events.ts'
export {
  type ClientMessage,
  isBudgetError,
  type ServerMessage,
  VOICE_CLOSE,
  VOICE_PROTOCOL,
  type WireEvent,
} from './protocol/messages.ts'
export type {
  VoiceConnection,
  VoiceRequest,
  VoiceSocket,
  VoiceCall,
  VoiceLimits,
  VoiceServerOptions,
  VoiceSettings,
} from './server/voice-server-options.ts'
export { VoiceControl } from './server/voice-control.ts'
export { VoiceServer } from './server/voice-server.ts'
