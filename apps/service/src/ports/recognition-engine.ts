/** The one PCM format recognition works on: 16 kHz, one channel, signed 16-bit little-endian. */
export const RECOGNITION_SAMPLE_RATE = 16_000

/** A recognized word and when it was said, in seconds from the start of the audio. */
export interface RecognizedWord {
  readonly word: string
  readonly startSecond: number
  readonly endSecond: number
}

/** What was heard. */
export interface Recognition {
  /** The whole text; the empty string for silence and noise. */
  readonly text: string
  readonly words: readonly RecognizedWord[]
  /** Length of the audio, in seconds. */
  readonly durationSeconds: number
}

/** How one recording is recognized. */
export interface RecognizeOptions {
  /** Stops the work. */
  readonly signal?: AbortSignal
  /** Words and phrases to listen for: they appear in the text as they are spelled here. Of no effect on others. */
  readonly keyterms?: readonly string[]
  /** Gets the words of each utterance as soon as they are recognized; together they are those of the result. */
  readonly onWords?: (words: readonly RecognizedWord[]) => void
}

/**
 * Speech to text. A driver must stop its work when `signal` aborts, rejecting with the signal's reason, and must leave
 * nothing running after {@link RecognitionEngine.close}.
 */
export interface RecognitionEngine {
  /** A name for logs and diagnostics. */
  readonly name: string
  /**
   * Recognizes speech in 16 kHz mono signed 16-bit little-endian PCM. Chunks may have any size, odd ones too. Memory
   * stays bounded however long the audio is.
   */
  recognize(pcm: AsyncIterable<Uint8Array>, options?: RecognizeOptions): Promise<Recognition>
  close(): Promise<void>
}
