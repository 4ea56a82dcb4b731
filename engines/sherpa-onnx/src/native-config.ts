import type { Family } from './families.ts'
import type { VadFile, ModelFiles, PunctuationFiles } from './find-files.ts'

/** What a process loads. */
export interface ModelSettings {
  readonly family: Family
  readonly files: ModelFiles
  /** Threads of the processor for one piece of work. */
  readonly threads: number
  /** Where it computes, by sherpa-onnx's name, e.g. `cpu` or `cuda`. */
  readonly provider: string
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
  const section = family === 'kokoro' || family === 'matcha' ? family : 'vits'
  return {
    model: { [section]: files, ...computing(place) },
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
  const sections: Readonly<Partial<Record<Family, NativeConfig>>> = {
    // A negative padding is Whisper's own. Without any it would forget the last words.
    whisper: { whisper: { ...files, language: language ?? '', task: 'transcribe', tailPaddings: -1 } },
    moonshine: { moonshine: files },
    'sense-voice': { senseVoice: { ...files, language: language ?? 'auto', useInverseTextNormalization: 1 } },
    'zipformer-ctc': { zipformerCtc: files },
    'nemo-ctc': { nemoCtc: files },
    parakeet: { transducer: files, modelType: 'nemo_transducer' },
  }
  return sections[family] ?? { transducer: files, modelType: 'transducer' }
}
