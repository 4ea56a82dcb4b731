export { detectUtterances, type DetectUtterancesOptions } from './detect/detect-utterances.ts'
export { MelodyMeasure } from './detect/melody-measure.ts'
export { type VoiceEvent, voiceEvent, type VoiceEventBody, type VoiceEventTime, type VoiceStage } from './events.ts'
export {
  type ClientMessage,
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
} from './server/voice-server-options.ts'
export { VoiceServer } from './server/voice-server.ts'
