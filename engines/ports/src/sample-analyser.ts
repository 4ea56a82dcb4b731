/** The traits of a voice, measured in a sample. */
export interface SampleTraits {
  /** Middle pitch, in Hz. */
  readonly pitchHz: number
  /** Standard deviation of the pitch, in semitones. Outliers do not count. */
  readonly rangeSemitones: number
  /** Estimated speaking rate without pauses. */
  readonly syllablesPerSecond: number
}

/** The sample cannot be used. The message is for the caller of the API. */
export class UnusableSampleError extends Error {
  /** The class name: programs compare it. */
  override readonly name = 'UnusableSampleError' as const
}

/** Shortest and longest accepted sample, in seconds. */
export interface SampleLimits {
  /** A shorter sample is refused, in seconds. */
  readonly minSeconds: number
  /** A longer sample is refused, in seconds. */
  readonly maxSeconds: number
}

/**
 * Measures the voice in a sample, outside the thread that answers requests. A driver stops its work when `signal`
 * aborts, and rejects with the signal's reason. {@link SampleAnalyser.close} leaves nothing running.
 */
export interface SampleAnalyser {
  /**
   * Measures 16 kHz mono signed 16-bit little-endian PCM, in chunks of any size. It reads only as much as it needs.
   * @throws UnusableSampleError when the sample is too short or too long, or contains no voice
   */
  analyse(pcm: AsyncIterable<Uint8Array>, options?: { readonly signal?: AbortSignal }): Promise<SampleTraits>
  /** Ends the engine: running work and later work reject. A second call does nothing. */
  close(): Promise<void>
}
