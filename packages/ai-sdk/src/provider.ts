import { NoSuchModelError } from '@ai-sdk/provider'
import type { Open, SpeechModel, TranscriptionModel, VoiceGenerationModel } from '@svc-audio/core/interface'
import type { ModelContext } from './request.ts'
import { type SvcAudioSpeechModel, speechModel } from './speech/speech-model.ts'
import { clientOf, type SvcAudioOptions } from './svc-audio-options.ts'
import { type SvcAudioTranscriptionModel, transcriptionModel } from './transcription/transcription-model.ts'

/** Model ids of `speech()`: those that the interface names, or any other id of the service. */
export type SpeechModelId = Open<SpeechModel | VoiceGenerationModel>

/** Model ids of `transcription()`: those that the interface names, or any other id of the service. */
export type TranscriptionModelId = Open<TranscriptionModel>

/** The provider for AI SDK 7. It has models of speech and of transcription. Other models throw `NoSuchModelError`. */
export interface SvcAudioProvider {
  /** Version of the specification that the provider follows. */
  readonly specificationVersion: 'v4'
  /** The provider has no such models. @throws NoSuchModelError */
  languageModel(modelId: string): never
  /** The provider has no such models. @throws NoSuchModelError */
  embeddingModel(modelId: string): never
  /** The provider has no such models. @throws NoSuchModelError */
  imageModel(modelId: string): never
  /** A model for `generateSpeech` and `experimental_streamSpeech`. */
  speech(modelId: SpeechModelId): SvcAudioSpeechModel
  /** A model for `transcribe` and `experimental_streamTranscribe`. */
  transcription(modelId: TranscriptionModelId): SvcAudioTranscriptionModel
  /** As {@link SvcAudioProvider.speech}, for registries. */
  speechModel(modelId: string): SvcAudioSpeechModel
  /** As {@link SvcAudioProvider.transcription}, for registries. */
  transcriptionModel(modelId: string): SvcAudioTranscriptionModel
}

/**
 * Creates the provider for AI SDK 7.
 * @throws ConfigurationError naming the option
 * @example
 * const svcAudio = createSvcAudio({ baseUrl: 'https://audio.example.com', voice: 'rms' })
 * const { audio } = await generateSpeech({ model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello there.' })
 */
export function createSvcAudio(options: SvcAudioOptions = {}): SvcAudioProvider {
  const context = contextOf(options)
  const speech = (modelId: string): SvcAudioSpeechModel => speechModel(modelId, context)
  const transcription = (modelId: string): SvcAudioTranscriptionModel => transcriptionModel(modelId, context)
  return {
    specificationVersion: 'v4',
    speech,
    speechModel: speech,
    transcription,
    transcriptionModel: transcription,
    languageModel: noModel('languageModel'),
    embeddingModel: noModel('embeddingModel'),
    imageModel: noModel('imageModel'),
  }
}

/** @throws ConfigurationError naming the option */
export function contextOf(options: SvcAudioOptions): ModelContext {
  return { client: clientOf(options), voice: options.voice }
}

/** A method for models that this provider does not have. */
export function noModel(modelType: NoSuchModelError['modelType']): (modelId: string) => never {
  return (modelId) => {
    throw new NoSuchModelError({ modelId, modelType })
  }
}
