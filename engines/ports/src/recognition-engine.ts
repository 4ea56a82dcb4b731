/** Sample rate of the PCM for recognition, in Hz. The PCM has one channel, signed 16-bit little-endian. */
export const RECOGNITION_SAMPLE_RATE = 16_000

/** A recognized word and its time, in seconds from the start of the audio. */
export interface RecognizedWord {
  /** The word, as it stands in the text. */
  readonly word: string
  /** Start, in seconds from the start of the audio. */
  readonly startSecond: number
  /** End, in seconds from the start of the audio. */
  readonly endSecond: number
}

/** What a recognizer measured of a stretch of speech. Clients drop stretches by these numbers. */
export interface SegmentMeasures {
  /** Mean log probability of its tokens. @default not measured */
  readonly meanLogProbability?: number | undefined
  /** Probability that nobody speaks, from 0 to 1. @default not measured */
  readonly noSpeechProbability?: number | undefined
  /** Length of the text to that of its compressed form: repetitions have a high one. @default not measured */
  readonly compressionRatio?: number | undefined
  /** Temperature of the decoder. @default not measured */
  readonly temperature?: number | undefined
  /** Tokens of the model. @default unknown */
  readonly tokens?: readonly number[] | undefined
}

/** Options of a recording that not every recognizer has. */
export type RecognitionFeature = 'prompt' | 'temperature'

/** Recognized text without times of its words. Times are in seconds from the start of the audio. */
export interface RecognizedSegment {
  /** What was said, never empty. */
  readonly text: string
  /** Start, in seconds from the start of the audio. */
  readonly startSecond: number
  /** End, in seconds from the start of the audio. */
  readonly endSecond: number
  /** Label of the speaker: `S01`, `S02` …, in the order of their first speech. @default the engine knows no speakers */
  readonly speaker?: string | undefined
  /** What the engine measured of it. @default nothing */
  readonly measures?: SegmentMeasures | undefined
}

/** The result of a recognition. */
export interface Recognition {
  /** The whole text. Empty for silence and noise. */
  readonly text: string
  /** The words whose times are known, in the order of time. An engine never invents a time. */
  readonly words: readonly RecognizedWord[]
  /**
   * What was said without known times of words, in the order of time: all of the text, or the parts of it that have no
   * words. A part of the text has either words or a segment. @default the words are the result
   */
  readonly segments?: readonly RecognizedSegment[] | undefined
  /** The language that was heard, a BCP 47 primary tag. @default unknown */
  readonly language?: string | undefined
  /** Length of the audio, in seconds. */
  readonly durationSeconds: number
}

/** Options of {@link RecognitionEngine.recognize}. */
export interface RecognizeOptions {
  /** Stops the work. */
  readonly signal?: AbortSignal
  /** Words and phrases to listen for. They appear in the text in this spelling. Other words are not affected. */
  readonly keyterms?: readonly string[]
  /**
   * Text that the recording continues, as its writer wrote it. Only for an engine with the feature `prompt`: for the
   * others the service makes keyterms of it.
   */
  readonly prompt?: string | undefined
  /** Temperature of the decoder, from 0 to 1. Only for an engine with the feature `temperature`. @default the engine's */
  readonly temperature?: number | undefined
  /**
   * Receives the words of each utterance as soon as they are recognized. Together they are the words of the result.
   * `utterance` is the engine's own segment of these words, with what was measured of it. @default the text and the times
   * are those of the words, and nothing was measured
   */
  readonly onWords?: (words: readonly RecognizedWord[], utterance?: RecognizedSegment) => void
  /** Receives each segment as soon as it is recognized. Together they are the segments of the result. */
  readonly onSegment?: (segment: RecognizedSegment) => void
  /** Id of the requested model. A router selects the engine by it. @default any engine */
  readonly model?: string | undefined
  /** Language of the speech, a BCP 47 tag. @default the engine detects it, or knows one only */
  readonly language?: string | undefined
}

/**
 * Converts speech to text. A driver stops its work when `signal` aborts, and rejects with the signal's reason. {@link
 * RecognitionEngine.close} leaves nothing running.
 */
export interface RecognitionEngine {
  /** A name for logs and diagnostics. */
  readonly name: string
  /** Language of the speech that it recognizes: a BCP 47 primary tag, e.g. `en`. @default several, or unknown */
  readonly language?: string | undefined
  /** All languages that it recognizes, as primary tags. @default `language` alone, or unknown */
  readonly languages?: readonly string[] | undefined
  /** Options that it follows beyond those of every engine. @default none */
  readonly features?: readonly RecognitionFeature[] | undefined
  /**
   * Recognizes speech in 16 kHz mono signed 16-bit little-endian PCM. Chunks may have any size, also odd ones. Memory
   * is bounded for audio of any length.
   */
  recognize(pcm: AsyncIterable<Uint8Array>, options?: RecognizeOptions): Promise<Recognition>
  /** Ends the engine: running work and later work reject. A second call does nothing. */
  close(): Promise<void>
}
