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

/** Finds the parameters of voices. The same input always gives the same voice. */
export interface VoiceDesigner {
  /**
   * Finds the parameters nearest to a measured voice.
   * @param bases The voices of the speech engine with traits, at least one.
   */
  fromSample(traits: SampleTraits, bases: readonly BaseVoice[]): VoiceParameters
  /** Finds the parameters nearest to a description in words. @param bases As for {@link VoiceDesigner.fromSample}. */
  fromInstruction(instruction: string, bases: readonly BaseVoice[]): VoiceParameters
  /**
   * Finds how a description in words changes a voice. The voice stays the same where the description says nothing.
   * @returns `undefined` for a description without a known word
   * @default no description changes a voice
   */
  adjust?(instruction: string, voice: BaseVoice): VoiceManner | undefined
}
