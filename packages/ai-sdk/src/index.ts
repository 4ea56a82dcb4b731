import { createSvcAudio, type SvcAudioProvider } from './provider.ts'

export {
  createSvcAudio,
  type SpeechModelId,
  type SvcAudioProvider,
  type TranscriptionModelId,
  type SvcAudioOptions,
} from './provider.ts'
export type { Json, Metadata, ResponseMetadata } from './request.ts'
export type { SpeechSetting, SvcAudioPauses, SvcAudioSpeechOptions } from './speech/plan-speech.ts'
export type { GeneratedSpeech, SvcAudioSpeechModel } from './speech/speech-model.ts'
export type {
  SvcAudioTranscriptionModel,
  Transcript,
  TranscriptionSettings,
} from './transcription/transcription-model.ts'
export type { TranscriptionSetting, SvcAudioTranscriptionOptions } from './transcription/request-transcript.ts'
export type { Warning } from './warnings.ts'

/** The provider for AI SDK 7, with `SVC_AUDIO_API_KEY` and `SVC_AUDIO_BASE_URL` of the environment. */
export const svcAudio: SvcAudioProvider = createSvcAudio()
