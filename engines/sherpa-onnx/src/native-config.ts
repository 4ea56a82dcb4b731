import type { SpeechSpan } from '@svc-audio/engine-ports/listening'
import { FAMILIES, type Family } from './families.ts'
import type { ModelFiles, PunctuationFiles, VadFile } from './model-files.ts'

/** What a process loads. */
export interface ModelSettings {
  readonly family: Family
  readonly files: ModelFiles
  /** Threads of the processor for one piece of work. */
  readonly threads: number
  /** Where it computes, by sherpa-onnx's name, e.g. `cpu` or `cuda`. */
  readonly provider: string
  /** Folder in whose `node_modules` sherpa-onnx-node may be. @default beside this package */
  readonly runtimeFolder?: string | undefined
  /** Language of the speech, as a primary tag. @default the model detects it, or knows one only */
  readonly language?: string | undefined
  /** What finds speech in what it hears. @default the parent does */
  readonly vad?: VadFile | undefined
  /** What writes punctuation into the text. @default nothing */
  readonly punctuation?: PunctuationFiles | undefined
}

/** The part of the settings that says where and how a graph computes. */
type Place = Pick<ModelSettings, 'threads' | 'provider'>

/** Longest utterance, in seconds: Whisper hears 30, and the others need more memory for longer ones. */
export const MAX_SECONDS = 25

/** Configuration in the words of sherpa-onnx. */
export type NativeConfig = Readonly<Record<string, unknown>>

/** Returns the configuration of a voice model. */
export function speechConfig({ family, files, ...place }: ModelSettings): NativeConfig {
  return {
    model: { [FAMILIES[family].section]: files, ...computing(place) },
    maxNumSentences: 1,
  }
}

/** Returns the configuration of a recognizer. */
export function recognitionConfig(settings: ModelSettings): NativeConfig {
  const { files } = settings
  const { tokens = '', ...rest } = files
  return {
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    modelConfig: { ...sectionOf(settings, rest), tokens, ...computing(settings) },
    decodingMethod: 'greedy_search',
  }
}

/** Samples that a model judges at once. */
export const VAD_WINDOW: Readonly<Record<VadFile['kind'], number>> = { silero: 512, ten: 256 }

/** Returns the configuration of a model that finds speech. */
export function vadConfig({ model, kind }: VadFile, place: Place): NativeConfig {
  const section = {
    model,
    threshold: 0.5,
    minSpeechDuration: 0.1,
    minSilenceDuration: 0.3,
    maxSpeechDuration: MAX_SECONDS,
    windowSize: VAD_WINDOW[kind],
  }
  return { [`${kind}Vad`]: section, sampleRate: 16_000, ...computing(place) }
}

/** Returns the configuration of a model that writes punctuation. */
export function punctuationConfig({ model, vocabulary }: PunctuationFiles, place: Place): NativeConfig {
  const files = vocabulary === undefined ? { ctTransformer: model } : { cnnBilstm: model, bpeVocab: vocabulary }
  return { model: { ...files, ...computing(place) } }
}

/** Returns the configuration of a model that makes an embedding of a voice. */
export function speakerConfig({ files, ...place }: ModelSettings): NativeConfig {
  return { ...files, ...computing(place) }
}

function computing({ threads, provider }: Place): NativeConfig {
  return { numThreads: threads, provider, debug: 0 }
}

function sectionOf({ family, language }: ModelSettings, files: ModelFiles): NativeConfig {
  const { section, options, language: option, modelType } = FAMILIES[family]
  // TeleSpeech has a field instead of a section.
  if (family === 'telespeech-ctc') return { teleSpeechCtc: files['model'] }
  const fields = option?.fields.map((field) => [field, language ?? option.unknown]) ?? []
  return {
    [section]: { ...files, ...options, ...Object.fromEntries(fields) },
    ...(modelType !== undefined && { modelType }),
  }
}

/** The voice of a sentence. */
export interface SpokenVoice {
  readonly speaker: number
  readonly language: string
  /** Path of a recording whose voice it has. @default the voice is a speaker of the model */
  readonly reference?: string | undefined
  readonly referenceText?: string | undefined
}

/** What a process does. */
export type Work =
  /** Speaks a sentence. */
  | ({ readonly type: 'speak'; readonly text: string } & SpokenVoice)
  /** Recognizes an utterance of 16 kHz. */
  | { readonly type: 'hear'; readonly samples: Int16Array; readonly language?: string | undefined }
  /** Finds the speech in an utterance of 16 kHz. */
  | { readonly type: 'find'; readonly samples: Int16Array }
  /** Makes the embedding of a voice, from speech of 16 kHz. */
  | { readonly type: 'embed'; readonly samples: Int16Array }
  /** Groups embeddings by speaker. */
  | {
      readonly type: 'group'
      readonly embeddings: readonly Float32Array[]
      /** Seconds of speech behind each. */
      readonly seconds: readonly number[]
      readonly similarity: number
    }

/** What the parent sends. */
export type Request = { readonly load: ModelSettings } | Work

/** A model that is loaded. */
export interface LoadedModel {
  /** Rate of its speech, in Hz. 0 for a model that listens. */
  readonly sampleRate: number
  /** Number of its speakers. */
  readonly speakers: number
}

/** A recognized utterance, as sherpa-onnx reports it. */
export interface Heard {
  readonly text: string
  readonly tokens: readonly string[]
  /** Start of each token, in seconds. Empty when the model does not tell. */
  readonly timestamps: readonly number[]
  readonly lang: string
  /** The text with punctuation, from a process that has a model for it. */
  readonly punctuated?: string | undefined
}

/** What the process answers. */
export type Reply =
  | { readonly loaded: LoadedModel }
  | { readonly spoken: Int16Array }
  | { readonly heard: Heard }
  | { readonly spans: readonly SpeechSpan[] }
  /** Nothing for speech that is too short. */
  | { readonly embedding: Float32Array | undefined }
  /** The speaker of each embedding, from 0, in the order of their first. */
  | { readonly speakers: readonly number[] }
  | { readonly failure: string }
