import type { ModelSettings } from './native-config.ts'

/** What a process does. */
export type Work =
  /** Speaks a sentence. */
  | { readonly type: 'speak'; readonly text: string; readonly speaker: number; readonly speed: number }
  /** Recognizes an utterance of 16 kHz. */
  | { readonly type: 'hear'; readonly samples: Int16Array; readonly language?: string | undefined }

/** What the parent sends. */
export type Request = { readonly load: ModelSettings } | Work

/** A model that is loaded. */
export interface LoadedModel {
  /** Rate of its speech, in Hz. 0 for a recognizer. */
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
}

/** What the process answers. */
export type Reply =
  | { readonly loaded: LoadedModel }
  | { readonly spoken: Int16Array }
  | { readonly heard: Heard }
  | { readonly failure: string }
