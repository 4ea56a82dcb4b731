import type { SpeechModelV4CallOptions, TranscriptionModelV4CallOptions } from '@ai-sdk/provider'
import { contextOf, noModel, type SpeechModelId, type SvcAudioOptions, type TranscriptionModelId } from './provider.ts'
import type { SpeechSetting } from './speech/plan-speech.ts'
import { type GeneratedSpeech, speechModel } from './speech/speech-model.ts'
import { type Transcript, transcriptionModel } from './transcription/transcription-model.ts'
import { type WarningV2, warningV2 } from './warnings.ts'

export type { SpeechModelId, TranscriptionModelId, SvcAudioOptions } from './provider.ts'
export type { Json, Metadata, ResponseMetadata } from './request.ts'
export type { SpeechSetting, SvcAudioPauses, SvcAudioSpeechOptions } from './speech/plan-speech.ts'
export type { GeneratedSpeech } from './speech/speech-model.ts'
export type { TranscriptionSetting, SvcAudioTranscriptionOptions } from './transcription/request-transcript.ts'
export type { Transcript } from './transcription/transcription-model.ts'
export type { Warning, WarningV2 } from './warnings.ts'

/** Settings of a call of `experimental_transcribe`. */
export type TranscriptionCall = Omit<TranscriptionModelV4CallOptions, 'timestampGranularities'>

/** A result of AI SDK 5. */
export interface WithWarnings<Warnings> {
  /** Settings that had no effect. */
  warnings: Warnings
}

/** A model of speech of the specification `v2`. */
export interface SvcAudioSpeechModel {
  /** Version of the specification that the model follows. The AI SDK reads it. */
  readonly specificationVersion: 'v2'
  /** Name of the provider and the kind of model, for telemetry and errors. */
  readonly provider: string
  /** Id of the model, as in requests. */
  readonly modelId: string
  /**
   * Makes one call, for `experimental_generateSpeech`.
   * @throws APICallError for an error of the service, InvalidArgumentError naming the option, or the reason of the
   * signal
   */
  doGenerate(
    options: SpeechModelV4CallOptions,
  ): Promise<Omit<GeneratedSpeech, 'warnings'> & WithWarnings<WarningV2<SpeechSetting>[]>>
}

/** A model of transcription of the specification `v2`. */
export interface SvcAudioTranscriptionModel {
  /** Version of the specification that the model follows. The AI SDK reads it. */
  readonly specificationVersion: 'v2'
  /** Name of the provider and the kind of model, for telemetry and errors. */
  readonly provider: string
  /** Id of the model, as in requests. */
  readonly modelId: string
  /**
   * Makes one call, for `experimental_transcribe`.
   * @throws APICallError for an error of the service, InvalidArgumentError naming the option, or the reason of the
   * signal
   */
  doGenerate(options: TranscriptionCall): Promise<Omit<Transcript, 'warnings'> & WithWarnings<[]>>
}

/** The provider for AI SDK 5. It has models of speech and of transcription. Other models throw `NoSuchModelError`. */
export interface SvcAudioProvider {
  /** The provider has no such models. @throws NoSuchModelError */
  languageModel(modelId: string): never
  /** The provider has no such models. @throws NoSuchModelError */
  textEmbeddingModel(modelId: string): never
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
 * Creates the provider for AI SDK 5.
 * @throws ConfigurationError naming the option
 */
export function createSvcAudio(options: SvcAudioOptions = {}): SvcAudioProvider {
  const context = contextOf(options)
  const speech = (id: string): SvcAudioSpeechModel => {
    const model = speechModel(id, context)
    return {
      specificationVersion: 'v2',
      provider: model.provider,
      modelId: model.modelId,
      async doGenerate(call) {
        const generated = await model.doGenerate(call)
        return { ...generated, warnings: generated.warnings.map(warningV2<SpeechSetting>) }
      },
    }
  }
  const transcription = (id: string): SvcAudioTranscriptionModel => {
    const model = transcriptionModel(id, context)
    return {
      specificationVersion: 'v2',
      provider: model.provider,
      modelId: model.modelId,
      // The only setting that causes a warning is one of AI SDK 7.
      doGenerate: async (call) => ({ ...(await model.doGenerate(call)), warnings: [] }),
    }
  }
  return {
    speech,
    speechModel: speech,
    transcription,
    transcriptionModel: transcription,
    languageModel: noModel('languageModel'),
    textEmbeddingModel: noModel('embeddingModel'),
    imageModel: noModel('imageModel'),
  }
}

/** The provider for AI SDK 5, with `SVC_AUDIO_API_KEY` and `SVC_AUDIO_BASE_URL` of the environment. */
export const svcAudio: SvcAudioProvider = createSvcAudio()
