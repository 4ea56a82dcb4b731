/** Samples that a detector judges at a time: 32 ms at 16 kHz. */
export const DETECTOR_FRAME_SAMPLES = 512

/**
 * Finds speech in the sound of one recording, frame by frame. It hears each frame with those before it, so frames come in
 * their order and one at a time.
 */
export interface SpeechDetector {
  /**
   * Returns the probability that the next frame is speech, from 0 to 1.
   * @param frame {@link DETECTOR_FRAME_SAMPLES} samples of 16 kHz, mono. The caller may use it again.
   */
  judge(frame: Int16Array): Promise<number>
  /** Forgets all frames: the next one begins a recording. */
  reset(): void
}
