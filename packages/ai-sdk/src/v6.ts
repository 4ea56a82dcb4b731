import type { SpeechModelV4CallOptions, TranscriptionModelV4CallOptions } from '@ai-sdk/provider'
import { contextOf, noModel, type SpeechModelId, type SvcAudioOptions, type TranscriptionModelId } from './provider.ts'
import { type GeneratedSpeech, speechModel } from './speech/speech-model.ts'
import { type Transcript, transcriptionModel } from './transcription/transcription-model.ts'

export type { SpeechModelId, TranscriptionModelId, SvcAudioOptions } from './provider.ts'
export type { Json, Metadata, ResponseMetadata } from './request.ts'
export type { SpeechSetting, SvcAudioPauses, SvcAudioSpeechOptions } from './speech/plan-speech.ts'
export type { GeneratedSpeech } from './speech/speech-model.ts'
export type { TranscriptionSetting, SvcAudioTranscriptionOptions } from './transcription/request-transcript.ts'
export type { Transcript } from './transcription/transcription-model.ts'
export type { Warning } from './warnings.ts'

/** Settings of a call of `experimental_transcribe`. */
export type TranscriptionCall = Omit<TranscriptionModelV4CallOptions, 'timestampGranularities'>

/** A model of speech of the specification `v3`. */
export interface SvcAudioSpeechModel {
  /** Version of the specification that the model follows. The AI SDK reads it. */
  readonly specificationVersion: 'v3'
  /** Name of the provider and the kind of model, for telemetry and errors. */
  readonly provider: string
  /** Id of the model, as in requests. */
  readonly modelId: string
  /**
   * Makes one call, for `experimental_generateSpeech`.
   * @throws APICallError for an error of the service, InvalidArgumentError naming the option, or the reason of the
   * signal
   */
  doGenerate(options: SpeechModelV4CallOptions): Promise<GeneratedSpeech>
}

/** A model of transcription of the specification `v3`. */
export interface SvcAudioTranscriptionModel {
  /** Version of the specification that the model follows. The AI SDK reads it. */
  readonly specificationVersion: 'v3'
  /** Name of the provider and the kind of model, for telemetry and errors. */
  readonly provider: string
  /** Id of the model, as in requests. */
  readonly modelId: string
  /**
   * Makes one call, for `experimental_transcribe`.
   * @throws APICallError for an error of the service, InvalidArgumentError naming the option, or the reason of the
   * signal
   */
  doGenerate(options: TranscriptionCall): Promise<Transcript>
}

/** The provider for AI SDK 6. It has models of speech and of transcription. Other models throw `NoSuchModelError`. */
export interface SvcAudioProvider {
  /** Version of the specification that the provider follows. */
  readonly specificationVersion: 'v3'
  /** The provider has no such models. @throws NoSuchModelError */
  languageModel(modelId: string): never
  /** The provider has no such models. @throws NoSuchModelError */
  embeddingModel(modelId: string): never
  /** The provider has no such models. @throws NoSuchModelError */
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
