/** Changes of a built-in voice that make it sound like another voice. */
export interface VoiceManner {
  /** Middle pitch: half of the voiced time is higher, half is lower. In Hz. */
  readonly pitchHz: number
  /** How far the pitch moves: its standard deviation in semitones. About 1 is flat reading, 3 is lively. */
  readonly rangeSemitones: number
  /** Speaking rate relative to the built-in voice. 1.2 is a fifth faster. */
  readonly tempo: number
  /**
   * Length of the throat and mouth relative to the built-in voice. It moves the resonances: under 1 sounds smaller and
   * younger, above 1 bigger. Pitch and tempo do not depend on it.
   */
  readonly size: number
}

/** A complete voice: a built-in voice and its changes. */
export interface VoiceParameters extends VoiceManner {
  /** Id of the built-in voice. */
  readonly base: string
}

/** The kind of sound of a built-in voice. */
export type Timbre = 'male' | 'female' | 'robotic'

/** Traits of a built-in voice that can be changed. */
export interface VoiceTraits {
  /** The kind of sound. A voice from a description is built on a voice of the same kind. */
  readonly timbre: Timbre
  /** Middle pitch, in Hz. */
  readonly pitchHz: number
  /** As {@link VoiceManner.rangeSemitones}. */
  readonly rangeSemitones: number
  /** Speaking rate without pauses. */
  readonly syllablesPerSecond: number
}

/** A built-in voice that can be changed. */
export interface BaseVoice {
  /** Id of the voice, as in `voice_id`. */
  readonly id: string
  /** What its changes start from. */
  readonly traits: VoiceTraits
}

/** Lowest and highest value of each part of a {@link VoiceManner}: beyond them speech becomes unintelligible. */
export const MANNER_LIMITS: Readonly<Record<keyof VoiceManner, readonly [min: number, max: number]>> = {
  pitchHz: [75, 350],
  rangeSemitones: [0.3, 4],
  tempo: [0.6, 1.7],
  size: [0.78, 1.18],
}
