import { type Family, isSpeechFamily } from './families.ts'
import type { ModelFiles } from './find-files.ts'

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
}

/** Configuration in the words of sherpa-onnx. */
export type NativeConfig = Readonly<Record<string, unknown>>

/** Returns the configuration of a voice model. */
export function speechConfig({ family, files, threads, provider }: ModelSettings): NativeConfig {
  const section = family === 'kokoro' || family === 'matcha' ? family : 'vits'
  return {
    model: { [section]: files, numThreads: threads, provider, debug: 0 },
    maxNumSentences: 1,
  }
}

/** Returns the configuration of a recognizer. */
export function recognitionConfig(settings: ModelSettings): NativeConfig {
  const { files, threads, provider } = settings
  const { tokens = '', ...rest } = files
  return {
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    modelConfig: { ...sectionOf(settings, rest), tokens, numThreads: threads, provider, debug: 0 },
    decodingMethod: 'greedy_search',
  }
}

/** Whether the model is a voice. */
export function speaks({ family }: ModelSettings): boolean {
  return isSpeechFamily(family)
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
