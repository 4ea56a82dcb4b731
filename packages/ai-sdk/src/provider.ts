import { NoSuchModelError } from '@ai-sdk/provider'
import { type ApiKey, AudioClient, ConfigurationError, type PureAudioClient } from '@svc-audio/core'
import { fetchTransport } from '@svc-audio/core/fetch'
import type { Open, SpeechModel, TranscriptionModel, VoiceGenerationModel } from '@svc-audio/core/interface'
import {
  callback,
  clientWith,
  findOptionFault,
  milliseconds,
  object,
  optional,
  type OptionRules,
  secret,
  text,
} from '#options'
import type { ModelContext } from './request.ts'
import { speechModel, type SvcAudioSpeechModel } from './speech/speech-model.ts'
import { type SvcAudioTranscriptionModel, transcriptionModel } from './transcription/transcription-model.ts'

/** Options of `createSvcAudio`. */
export interface SvcAudioOptions {
  /**
   * The bearer key, or a function that returns the current key. The function is called before each request.
   * @default the environment variable `SVC_AUDIO_API_KEY`, read at the first call
   */
  readonly apiKey?: ApiKey
  /**
   * Address of the service, e.g. `http://127.0.0.1:8787`.
   * @default the environment variable `SVC_AUDIO_BASE_URL`, read at the first call
   */
  readonly baseUrl?: string
  /** Headers of every request. `headers` of a call replace them by name. Neither replaces `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The `fetch` to send with.
   * @default core's transport of the runtime: undici on Node, else `fetch`
   */
  readonly fetch?: typeof globalThis.fetch
  /** Deadline of one call, without the retries of the AI SDK, in milliseconds. @default none */
  readonly timeout?: number
  /** Voice id of calls without `voice`. @default none */
  readonly voice?: string
  /**
   * A client of `@svc-audio/core` to send with. The caller closes it. It excludes every other option but `voice`.
   * @default a client of these options, created at the first call
   */
  readonly client?: PureAudioClient
}

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

const OWNER = 'createSvcAudio()'

const RULES: OptionRules = {
  apiKey: optional((value) => (typeof value === 'function' ? undefined : secret(value))),
  baseUrl: optional(text),
  headers: optional(object),
  fetch: optional(callback),
  timeout: optional(milliseconds),
  voice: optional(text),
  client: optional(clientWith('speech', 'transcriptions')),
}

/**
 * Checks the options and returns the function that opens the client. The client opens once, at the first call, so that
 * a module may create a provider before the environment is set.
 *
 * @throws ConfigurationError naming the option; from the function also without a key or an address
 */
function clientOf(options: SvcAudioOptions): () => PureAudioClient {
  const fault = findOptionFault(options, RULES, OWNER)
  if (fault !== undefined) throw new ConfigurationError(fault.message)
  const { voice: _voice, client, fetch, ...rest } = options
  const given = Object.entries({ ...rest, fetch }).find(([, value]) => value !== undefined)?.[0]
  if (client !== undefined && given !== undefined) {
    throw new ConfigurationError(`${OWNER}: \`${given}\` has no effect with \`client\`: set it on the client`)
  }
  let opened: PureAudioClient | undefined
  return () => (opened ??= withoutRetries(client ?? openClient(rest, fetch)))
}

function openClient(
  options: Omit<SvcAudioOptions, 'client' | 'fetch' | 'voice'>,
  fetch: SvcAudioOptions['fetch'],
): PureAudioClient {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return new AudioClient(fetch === undefined ? given : { ...given, transport: fetchTransport({ fetch }) })
}

/** The AI SDK retries calls itself: `maxRetries` of the call. */
function withoutRetries(client: PureAudioClient): PureAudioClient {
  return client.withOptions({ maxRetries: 0 })
}
