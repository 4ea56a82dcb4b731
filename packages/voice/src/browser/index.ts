export type { VoiceEnd } from './connection.ts'
export type { VoiceClientOptions, VoiceLevels, VoiceStatus } from './voice-client-options.ts'
export { VoiceClient } from './voice-client.ts'
