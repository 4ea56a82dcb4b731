/** How a built-in voice is made to speak, to sound like another one. */
export interface VoiceManner {
  /** Middle pitch: half of the voiced time is higher, half is lower. In Hz. */
  readonly pitchHz: number
  /** How far the pitch moves: its standard deviation in semitones. About 1 is flat reading, 3 is lively. */
  readonly rangeSemitones: number
  /** Speaking rate relative to the built-in voice's own; 1.2 is a fifth faster. */
  readonly tempo: number
  /**
   * Length of the throat and mouth relative to the built-in voice's, which moves the resonances: under 1 sounds smaller
   * and younger, above 1 bigger. Pitch and tempo do not depend on it.
   */
  readonly size: number
}

/** A whole voice: a built-in one and how it is made to speak. */
export interface VoiceParameters extends VoiceManner {
  /** Id of the built-in voice. */
  readonly base: string
}

/** What sort of sound a built-in voice has. */
export type Timbre = 'male' | 'female' | 'robotic'

/** What is known of a built-in voice that can be made to speak in another manner. */
export interface VoiceTraits {
  readonly timbre: Timbre
  /** Its own middle pitch, in Hz. */
  readonly pitchHz: number
  /** Its own {@link VoiceManner.rangeSemitones}. */
  readonly rangeSemitones: number
  /** Its own speaking rate, pauses left out. */
  readonly syllablesPerSecond: number
}

/** A built-in voice on which others can be built. */
export interface BaseVoice {
  readonly id: string
  readonly traits: VoiceTraits
}

/** Lowest and highest value of each part of a {@link VoiceManner}: beyond them speech is not understood any more. */
export const MANNER_LIMITS = {
  pitchHz: [75, 350],
  rangeSemitones: [0.3, 4],
  tempo: [0.6, 1.7],
  size: [0.78, 1.18],
} as const satisfies Readonly<Record<keyof VoiceManner, readonly [least: number, most: number]>>
