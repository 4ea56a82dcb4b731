export type { VoiceEnd } from './connection.ts'
export { VoiceClient, type VoiceClientOptions, type VoiceLevels, type VoiceStatus } from './voice-client.ts'
