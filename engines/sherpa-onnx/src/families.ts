/** Kinds of voices: the graphs and the files of a model. */
export const SPEECH_FAMILIES = [
  'piper',
  'vits',
  'kokoro',
  'kitten',
  'matcha',
  'supertonic',
  'pocket',
  'zipvoice',
] as const

/** Kinds of recognizers. */
export const RECOGNITION_FAMILIES = [
  'whisper',
  'moonshine',
  'transducer',
  'parakeet',
  'sense-voice',
  'zipformer-ctc',
  'nemo-ctc',
  'paraformer',
  'canary',
  'cohere',
  'dolphin',
  'fire-red',
  'fire-red-ctc',
  'omnilingual',
  'qwen3',
  'funasr-nano',
  'medasr',
  'wenet-ctc',
  'telespeech-ctc',
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

/** Whether a family speaks. */
export function isSpeechFamily(family: Family): family is SpeechFamily {
  return SPEECH_FAMILIES.some((one) => one === family)
}

/** Whether a family tells speakers apart. */
export function isSpeakerFamily(family: Family): family is SpeakerFamily {
  return SPEAKER_FAMILIES.some((one) => one === family)
}

/** A file of a model. */
export interface FileRule {
  /** What its name matches. */
  readonly name: RegExp
  /** Its name for people, e.g. `*.onnx`. */
  readonly says: string
  readonly isOptional?: boolean
  /** Whether every file that matches is meant, not one. */
  readonly isList?: boolean
}

/** Files by the role that they have for sherpa-onnx. */
export type FileRules = Readonly<Record<string, FileRule>>

/** What is known about a family. */
export interface FamilyFacts {
  /** Its section in the configuration of sherpa-onnx. */
  readonly section: string
  /** Its files. Several sets: releases of the family differ. */
  readonly files: readonly FileRules[]
  /** What the metadata of one of its graphs says. The first family whose files and metadata fit has the model. */
  readonly metadata?: Readonly<Record<string, RegExp>>
  /** Further fields of its section. */
  readonly options?: Readonly<Record<string, string | number>>
  /** `modelType` of the configuration. @default none */
  readonly modelType?: string
  /** Whether it tells when each token was said. */
  readonly isTimed?: boolean
  /** How it learns the language of the speech. @default it detects it, or knows one only */
  readonly language?: LanguageOption
  /** Longest utterance with the silence around it, in seconds. @default 25 */
  readonly maxSeconds?: number
  /** Silence that is added before and after an utterance, in seconds: the model errs less. @default 0 */
  readonly silenceSeconds?: number
  /** Shortest pause at which its utterances are cut, in seconds. @default 0.5 */
  readonly pauseSeconds?: number
  /** Whether its voices are recordings: a voice needs one, or one with its text. @default its voices are speakers */
  readonly reference?: 'sound' | 'sound and text'
  /** Steps of a voice that is computed in steps. Its options are passed with each sentence. @default it has none */
  readonly steps?: number
}

/** How a recognizer learns the language. */
export interface LanguageOption {
  /** Fields of the section. */
  readonly fields: readonly string[]
  /** Their value while no language is known. */
  readonly unknown: string
  /** How a loaded model takes another language: by its configuration, or with each utterance. @default it cannot */
  readonly by?: 'configuration' | 'utterance'
}

const MODEL: FileRule = { name: /\.onnx$/, says: '*.onnx' }
const TOKENS: FileRule = { name: /(?:^|[-_.])tokens\.txt$/, says: 'tokens.txt' }
const LEXICON: FileRule = { name: /^lexicon.*\.txt$/, says: 'lexicon*.txt', isOptional: true, isList: true }
const DATA: FileRule = { name: /^espeak-ng-data$/, says: 'espeak-ng-data', isOptional: true }
const NEEDED_DATA: FileRule = { name: DATA.name, says: DATA.says }
const VOICES: FileRule = { name: /voices\.bin$/, says: 'voices.bin' }
const ENCODER: FileRule = { name: /encoder.*\.onnx$/, says: '*encoder*.onnx' }
const DECODER: FileRule = { name: /decoder.*\.onnx$/, says: '*decoder*.onnx' }
const JOINER: FileRule = { name: /joiner.*\.onnx$/, says: '*joiner*.onnx' }
const VOCODER: FileRule = { name: /^(?:vocos|hifigan).*\.onnx$/, says: 'vocos*.onnx or hifigan*.onnx' }
const VITS = { model: MODEL, tokens: TOKENS, lexicon: LEXICON, dataDir: DATA }
const CTC = [{ model: MODEL, tokens: TOKENS }]
const TRANSDUCER = [{ encoder: ENCODER, decoder: DECODER, joiner: JOINER, tokens: TOKENS }]
const PAIR = [{ encoder: ENCODER, decoder: DECODER, tokens: TOKENS }]

/** A graph by the words that its name begins with. */
function graph(start: string): FileRule {
  return { name: new RegExp(`^${start}.*\\.onnx$`), says: `${start}*.onnx` }
}

function file(name: string): FileRule {
  return { name: new RegExp(`^${name.replaceAll('.', '\\.')}$`), says: name }
}

/**
 * The families that sherpa-onnx 1.13.8 has, with their files. A family with metadata comes before others of the same
 * files.
 */
export const FAMILIES: Readonly<Record<Family, FamilyFacts>> = {
  piper: { section: 'vits', files: [{ ...VITS, dataDir: NEEDED_DATA }], metadata: { comment: /piper/ } },
  kokoro: { section: 'kokoro', files: [{ ...VITS, voices: VOICES }], metadata: { model_type: /^kokoro/ } },
  kitten: {
    section: 'kitten',
    files: [{ model: MODEL, voices: VOICES, tokens: TOKENS, dataDir: NEEDED_DATA }],
    metadata: { model_type: /^kitten/ },
  },
  matcha: {
    section: 'matcha',
    files: [
      {
        acousticModel: { name: /^(?!vocos|hifigan).*\.onnx$/, says: '*.onnx' },
        vocoder: VOCODER,
        tokens: TOKENS,
        lexicon: LEXICON,
        dataDir: DATA,
      },
    ],
    metadata: { model_type: /^matcha/ },
  },
  supertonic: {
    section: 'supertonic',
    files: [
      {
        durationPredictor: graph('duration_predictor'),
        textEncoder: graph('text_encoder'),
        vectorEstimator: graph('vector_estimator'),
        vocoder: graph('vocoder'),
        ttsJson: file('tts.json'),
        unicodeIndexer: file('unicode_indexer.bin'),
        voiceStyle: file('voice.bin'),
      },
    ],
    steps: 8,
  },
  pocket: {
    section: 'pocket',
    files: [
      {
        lmFlow: graph('lm_flow'),
        lmMain: graph('lm_main'),
        encoder: graph('encoder'),
        decoder: graph('decoder'),
        textConditioner: graph('text_conditioner'),
        vocabJson: file('vocab.json'),
        tokenScoresJson: file('token_scores.json'),
      },
    ],
    reference: 'sound',
    steps: 5,
  },
  zipvoice: {
    section: 'zipvoice',
    files: [
      {
        encoder: ENCODER,
        decoder: DECODER,
        vocoder: VOCODER,
        tokens: TOKENS,
        lexicon: file('lexicon.txt'),
        dataDir: NEEDED_DATA,
      },
    ],
    reference: 'sound and text',
    steps: 4,
  },
  vits: { section: 'vits', files: [VITS], metadata: { n_speakers: /\d/, sample_rate: /\d/ } },
  moonshine: {
    section: 'moonshine',
    files: [
      {
        encoder: { name: /^encoder_model.*\.(?:ort|onnx)$/, says: 'encoder_model.ort' },
        mergedDecoder: { name: /^decoder_model_merged.*\.(?:ort|onnx)$/, says: 'decoder_model_merged.ort' },
        tokens: TOKENS,
      },
      {
        preprocessor: graph('preprocess'),
        encoder: graph('encode'),
        uncachedDecoder: graph('uncached_decode'),
        cachedDecoder: graph('cached_decode'),
        tokens: TOKENS,
      },
    ],
    // sherpa-onnx 1.13.8 passes the length of the frames for that of the samples. What is behind 9.2 s is lost.
    maxSeconds: 9.2,
    // Over 2,000 words of people and of synthetic voices, errors fall by an eighth: a cut may be in the middle of a sound.
    silenceSeconds: 0.2,
    pauseSeconds: 0.7,
  },
  qwen3: {
    section: 'qwen3Asr',
    files: [
      {
        convFrontend: graph('conv_frontend'),
        encoder: ENCODER,
        decoder: DECODER,
        tokenizer: file('tokenizer'),
      },
    ],
  },
  'funasr-nano': {
    section: 'funasrNano',
    files: [
      {
        encoderAdaptor: graph('encoder_adaptor'),
        llm: graph('llm'),
        embedding: graph('embedding'),
        tokenizer: { name: /^Qwen/, says: 'Qwen3-0.6B' },
      },
    ],
    options: { itn: 1 },
  },
  parakeet: {
    section: 'transducer',
    files: TRANSDUCER,
    metadata: { model_type: /^EncDec(?:HybridRNNTCTC|RNNT)/ },
    modelType: 'nemo_transducer',
    isTimed: true,
  },
  transducer: { section: 'transducer', files: TRANSDUCER, modelType: 'transducer', isTimed: true },
  whisper: {
    section: 'whisper',
    files: PAIR,
    metadata: { model_type: /^whisper/ },
    // A negative padding is Whisper's own. Without any it would forget the last words.
    options: { task: 'transcribe', tailPaddings: -1 },
    language: { fields: ['language'], unknown: '', by: 'configuration' },
  },
  canary: {
    section: 'canary',
    files: PAIR,
    metadata: { model_type: /^EncDecMultiTaskModel/ },
    options: { usePnc: 1 },
    language: { fields: ['srcLang', 'tgtLang'], unknown: 'en', by: 'configuration' },
  },
  cohere: {
    section: 'cohereTranscribe',
    files: PAIR,
    metadata: { model_type: /cohere/i },
    options: { usePunct: 1, useItn: 1 },
    language: { fields: ['language'], unknown: 'en', by: 'utterance' },
  },
  'fire-red': { section: 'fireRedAsr', files: PAIR, metadata: { cmvn_mean: /^/, sos: /^/ } },
  'sense-voice': {
    section: 'senseVoice',
    files: CTC,
    metadata: { lang_auto: /^/, with_itn: /^/ },
    options: { useInverseTextNormalization: 1 },
    language: { fields: ['language'], unknown: 'auto' },
    isTimed: true,
  },
  'zipformer-ctc': {
    section: 'zipformerCtc',
    files: CTC,
    metadata: { model_type: /^zipformer2?_ctc/ },
    isTimed: true,
  },
  paraformer: { section: 'paraformer', files: CTC, metadata: { model_type: /^paraformer/ }, isTimed: true },
  dolphin: { section: 'dolphin', files: CTC, metadata: { mean: /^/, invstd: /^/ }, isTimed: true },
  'fire-red-ctc': { section: 'fireRedAsrCtc', files: CTC, metadata: { model_type: /^fire-red/ }, isTimed: true },
  omnilingual: { section: 'omnilingual', files: CTC, metadata: { model_type: /^omnilingual/ }, isTimed: true },
  medasr: { section: 'medasr', files: CTC, metadata: { model_type: /^medasr/ }, isTimed: true },
  'wenet-ctc': { section: 'wenetCtc', files: CTC, metadata: { model_type: /^wenet_ctc/ }, isTimed: true },
  'telespeech-ctc': { section: '', files: CTC, metadata: { model_type: /^telespeech_ctc/ }, isTimed: true },
  'nemo-ctc': {
    section: 'nemoCtc',
    files: CTC,
    metadata: { normalize_type: /^/, subsampling_factor: /^/ },
    isTimed: true,
  },
  'speaker-embedding': {
    section: '',
    files: [{ model: MODEL }],
    metadata: { framework: /^(?:wespeaker|3d-speaker|nemo)$/ },
  },
}
