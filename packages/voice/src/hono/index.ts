export { voiceEvents, type VoiceContext, type VoiceEvents, type VoiceHonoSocket } from './voice-events.ts'
