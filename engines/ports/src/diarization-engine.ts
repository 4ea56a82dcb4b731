/** Sample rate of the PCM for diarization, in Hz. The PCM has one channel, signed 16-bit little-endian. */
export const DIARIZATION_SAMPLE_RATE = 16_000

/** A stretch of speech of one speaker. */
export interface SpeakerSegment {
  /** Start of the speech, in seconds from the start of the audio. */
  readonly startSecond: number
  /** End of the speech, in seconds from the start of the audio. */
  readonly endSecond: number
  /** Label of the speaker: `S01`, `S02` …, in the order of their first speech (interface: segments[].speaker). */
  readonly speaker: string
}

/** The result of a diarization. */
export interface Diarization {
  /** In the order of time, without overlaps. Empty for silence and noise. */
  readonly segments: readonly SpeakerSegment[]
  /** Length of the audio, in seconds. */
  readonly durationSeconds: number
}

/**
 * Tells speakers apart. It does not need their number. A driver stops its work when `signal` aborts, and rejects with
 * the signal's reason. {@link DiarizationEngine.close} leaves nothing running.
 */
export interface DiarizationEngine {
  /** A name for logs and diagnostics. */
  readonly name: string
  /**
   * Finds the speaker segments of 16 kHz mono signed 16-bit little-endian PCM. Chunks may have any size, also odd
   * ones. Memory is bounded for audio of any length.
   */
  diarize(pcm: AsyncIterable<Uint8Array>, options?: { readonly signal?: AbortSignal }): Promise<Diarization>
  /** Ends the engine: running work and later work reject. A second call does nothing. */
  close(): Promise<void>
}

/** Returns the label of a speaker: `S01` for index 0 (interface: segments[].speaker). */
export function speakerLabel(index: number): string {
  return `S${String(index + 1).padStart(2, '0')}`
}
