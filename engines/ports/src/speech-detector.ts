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

/** Finds speech in one live recording, outside of the thread that answers requests. */
export interface LiveDetector {
  /**
   * Takes the next samples: 16 kHz, mono, in pieces of any size. Resolves with the probability of speech in each frame of
   * {@link DETECTOR_FRAME_SAMPLES} samples that they complete, from 0 to 1. Calls may overlap.
   * @throws EngineFailedError when the detector is lost; EngineClosedError after {@link LiveDetector.close}
   */
  judge(samples: Int16Array): Promise<readonly number[]>
  /** Ends the recording. Calls in flight reject. A second call does nothing. */
  close(): void
}

/** Finds speech in many live recordings at once. */
export interface LiveDetectors {
  /** Begins a recording. @throws EngineClosedError after {@link LiveDetectors.close} */
  open(): LiveDetector
  /** Ends every recording. Nothing is left running. */
  close(): Promise<void>
}
