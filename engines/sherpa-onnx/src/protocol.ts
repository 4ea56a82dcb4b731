import type { SpeechSpan } from '@svc-audio/engine-ports/listening'
import type { ModelSettings } from './native-config.ts'

/** What a process does. */
export type Work =
  /** Speaks a sentence. */
  | { readonly type: 'speak'; readonly text: string; readonly speaker: number; readonly speed: number }
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
