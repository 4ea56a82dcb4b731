import type { SpeechModelV4CallOptions, TranscriptionModelV4CallOptions } from '@ai-sdk/provider'
import { contextOf, noModel, type SpeechModelId, type TranscriptionModelId } from './provider.ts'
import { type GeneratedSpeech, speechModel } from './speech/speech-model.ts'
import type { SvcAudioOptions } from './svc-audio-options.ts'
import { type Transcript, transcriptionModel } from './transcription/transcription-model.ts'

export type { SpeechModelId, TranscriptionModelId } from './provider.ts'
export type { SvcAudioPauses, SvcAudioSpeechOptions } from './speech/speech-options.ts'
export type { SvcAudioOptions } from './svc-audio-options.ts'
export type { SvcAudioTranscriptionOptions } from './transcription/transcription-options.ts'

/** A call without the settings of AI SDK 7. */
type TranscriptionCall = Omit<TranscriptionModelV4CallOptions, 'timestampGranularities'>

/** A model of speech of the specification `v3`. */
export interface SvcAudioSpeechModel {
  readonly specificationVersion: 'v3'
  readonly provider: string
  readonly modelId: string
  doGenerate(options: SpeechModelV4CallOptions): Promise<GeneratedSpeech>
}

/** A model of transcription of the specification `v3`. */
export interface SvcAudioTranscriptionModel {
  readonly specificationVersion: 'v3'
  readonly provider: string
  readonly modelId: string
  doGenerate(options: TranscriptionCall): Promise<Transcript>
}

/** The provider for AI SDK 6. It has models of speech and of transcription. Other models throw `NoSuchModelError`. */
export interface SvcAudioProvider {
  readonly specificationVersion: 'v3'
  languageModel(modelId: string): never
  embeddingModel(modelId: string): never
  imageModel(modelId: string): never
  /** A model for `experimental_generateSpeech`. */
  speech(modelId: SpeechModelId): SvcAudioSpeechModel
  /** A model for `experimental_transcribe`. */
  transcription(modelId: TranscriptionModelId): SvcAudioTranscriptionModel
  /** As {@link SvcAudioProvider.speech}, for registries. */
  speechModel(modelId: string): SvcAudioSpeechModel
  /** As {@link SvcAudioProvider.transcription}, for registries. */
  transcriptionModel(modelId: string): SvcAudioTranscriptionModel
}

/**
 * Creates the provider for AI SDK 6.
 * @throws ConfigurationError naming the option
 */
export function createSvcAudio(options: SvcAudioOptions = {}): SvcAudioProvider {
  const context = contextOf(options)
  const speech = (id: string): SvcAudioSpeechModel => {
    const model = speechModel(id, context)
    const { provider, modelId } = model
    return { specificationVersion: 'v3', provider, modelId, doGenerate: (call) => model.doGenerate(call) }
  }
  const transcription = (id: string): SvcAudioTranscriptionModel => {
    const model = transcriptionModel(id, context)
    const { provider, modelId } = model
    return { specificationVersion: 'v3', provider, modelId, doGenerate: (call) => model.doGenerate(call) }
  }
  return {
    specificationVersion: 'v3',
    speech,
    speechModel: speech,
    transcription,
    transcriptionModel: transcription,
    languageModel: noModel('languageModel'),
    embeddingModel: noModel('embeddingModel'),
    imageModel: noModel('imageModel'),
  }
}

/** The provider for AI SDK 6, with `SVC_AUDIO_API_KEY` and `SVC_AUDIO_BASE_URL` of the environment. */
export const svcAudio: SvcAudioProvider = createSvcAudio()
