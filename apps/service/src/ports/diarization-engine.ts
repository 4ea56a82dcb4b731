/** The one PCM format diarization works on: 16 kHz, one channel, signed 16-bit little-endian. */
export const DIARIZATION_SAMPLE_RATE = 16_000

/** Somebody speaks. */
export interface SpeakerSegment {
  readonly startSecond: number
  readonly endSecond: number
  /** Label of the speaker: `S01`, `S02` …, numbered in the order in which they first speak (interface: segments[].speaker). */
  readonly speaker: string
}

/** Who speaks when. */
export interface Diarization {
  /** In the order of time, without overlaps; none for silence and noise. */
  readonly segments: readonly SpeakerSegment[]
  /** Length of the audio, in seconds. */
  readonly durationSeconds: number
}

/**
 * Tells speakers apart, without being told how many they are. A driver must stop its work when `signal` aborts,
 * rejecting with the signal's reason, and must leave nothing running after {@link DiarizationEngine.close}.
 */
export interface DiarizationEngine {
  /** A name for logs and diagnostics. */
  readonly name: string
  /**
   * Finds out who speaks when in 16 kHz mono signed 16-bit little-endian PCM. Chunks may have any size, odd ones too.
   * Memory stays bounded however long the audio is.
   */
  diarize(pcm: AsyncIterable<Uint8Array>, options?: { readonly signal?: AbortSignal }): Promise<Diarization>
  close(): Promise<void>
}
