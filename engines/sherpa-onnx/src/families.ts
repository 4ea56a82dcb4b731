/** Kinds of voices: the graph and the files of a model. */
export const SPEECH_FAMILIES = ['piper', 'vits', 'kokoro', 'matcha'] as const

/** Kinds of recognizers. */
export const RECOGNITION_FAMILIES = [
  'whisper',
  'moonshine',
  'transducer',
  'parakeet',
  'sense-voice',
  'zipformer-ctc',
  'nemo-ctc',
] as const

/** Kinds of models that tell speakers apart. */
export const SPEAKER_FAMILIES = ['speaker-embedding'] as const

/** A kind of voice. */
export type SpeechFamily = (typeof SPEECH_FAMILIES)[number]

/** A kind of recognizer. */
export type RecognitionFamily = (typeof RECOGNITION_FAMILIES)[number]

/** A kind of model that tells speakers apart. */
export type SpeakerFamily = (typeof SPEAKER_FAMILIES)[number]

/** A kind of model. */
export type Family = SpeechFamily | RecognitionFamily | SpeakerFamily

/** A file of a model. */
export interface FileRule {
  /** What its name matches. */
  readonly name: RegExp
  readonly isOptional?: boolean
  /** Whether every file that matches is meant, not one. */
  readonly isList?: boolean
}

const MODEL: FileRule = { name: /\.onnx$/ }
const TOKENS: FileRule = { name: /(?:^|[-_.])tokens\.txt$/ }
const LEXICON: FileRule = { name: /^lexicon.*\.txt$/, isOptional: true, isList: true }
const DATA: FileRule = { name: /^espeak-ng-data$/, isOptional: true }
const VITS = { model: MODEL, tokens: TOKENS, lexicon: LEXICON, dataDir: DATA }
const TRANSDUCER = {
  encoder: { name: /encoder.*\.onnx$/ },
  decoder: { name: /decoder.*\.onnx$/ },
  joiner: { name: /joiner.*\.onnx$/ },
  tokens: TOKENS,
}
const CTC = { model: MODEL, tokens: TOKENS }

/** The files of each family, by the role that they have for sherpa-onnx. */
export const FAMILY_FILES: Readonly<Record<Family, Readonly<Record<string, FileRule>>>> = {
  piper: { ...VITS, dataDir: { name: DATA.name } },
  vits: VITS,
  kokoro: { ...VITS, voices: { name: /voices\.bin$/ } },
  matcha: {
    acousticModel: { name: /^(?!vocos|hifigan).*\.onnx$/ },
    vocoder: { name: /^(?:vocos|hifigan).*\.onnx$/ },
    tokens: TOKENS,
    lexicon: LEXICON,
    dataDir: DATA,
  },
  whisper: { encoder: TRANSDUCER.encoder, decoder: TRANSDUCER.decoder, tokens: TOKENS },
  moonshine: {
    preprocessor: { name: /^preprocess.*\.onnx$/ },
    encoder: { name: /^encode.*\.onnx$/ },
    uncachedDecoder: { name: /^uncached_decode.*\.onnx$/ },
    cachedDecoder: { name: /^cached_decode.*\.onnx$/ },
    tokens: TOKENS,
  },
  transducer: TRANSDUCER,
  parakeet: TRANSDUCER,
  'sense-voice': CTC,
  'zipformer-ctc': CTC,
  'nemo-ctc': CTC,
  'speaker-embedding': { model: MODEL },
}

/** Families that know when each token was said. */
export const TIMED_FAMILIES: ReadonlySet<Family> = new Set([
  'transducer',
  'parakeet',
  'sense-voice',
  'zipformer-ctc',
  'nemo-ctc',
])

/** Whether a family speaks. */
export function isSpeechFamily(family: Family): family is SpeechFamily {
  return SPEECH_FAMILIES.some((one) => one === family)
}

/** Whether a family tells speakers apart. */
export function isSpeakerFamily(family: Family): family is SpeakerFamily {
  return SPEAKER_FAMILIES.some((one) => one === family)
}
