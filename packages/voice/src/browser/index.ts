export type { VoiceEnd } from './connection.ts'
export {
  type VoiceChoice,
  type VoiceClientOptions,
  type VoiceLevels,
  type VoiceStatus,
  VoiceClient,
} from './voice-client.ts'
