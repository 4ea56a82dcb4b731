import { methods } from '#options'

/** Samples of a frame of a {@link SpeechDetector}: 32 ms at 16 kHz. */
export const SPEECH_FRAME_SAMPLES = 512

/** Tells speech from other sounds in the audio of one microphone, frame by frame. Frames of nothing but the room are left out. */
export interface SpeechDetector {
  /**
   * Judges the next frame.
   * @param frame {@link SPEECH_FRAME_SAMPLES} 16-bit samples at 16 kHz.
   * @returns the probability of speech, 0 to 1
   */
  judge(frame: Int16Array): number | Promise<number>
}

/** Makes a {@link SpeechDetector} for each microphone. `sileroSpeech()` is one. */
export interface SpeechDetection {
  /** Name for logs. */
  readonly name: string
  /** Makes a detector. */
  readonly open: () => Promise<SpeechDetector>
}

/** The option is a {@link SpeechDetection}, or `'loudness'`. */
export const speechOption: (value: unknown) => string | undefined = (value) =>
  value === 'loudness' || methods('open')(value) === undefined
    ? undefined
    : "must be 'loudness', or a detection of speech such as sileroSpeech()"
