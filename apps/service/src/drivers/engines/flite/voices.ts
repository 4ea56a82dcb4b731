import type { EngineVoice } from '../../../ports/speech-engine.ts'

/** How flite's pitch features act on one of its voices: measured on speech of several means and deviations. */
export interface PitchResponse {
  /** Deviation that is heard, per deviation that is asked for. */
  readonly gain: number
  /** How far under the mean the middle of the pitch is, per deviation that is asked for. */
  readonly skew: number
}

/** A voice of flite, under flite's own name. */
export interface FliteVoice extends EngineVoice {
  /**
   * The `duration_stretch` that the voice was made for, so that speed 1 sounds as its makers meant it: setting the
   * feature replaces a voice's own value, and that of kal16 is 1.1.
   */
  readonly naturalStretch: number
  /** Absent where the voice does not heed its pitch features, as `rms`. Such a voice has no traits either. */
  readonly response?: PitchResponse
}

/**
 * Flite's voices at 16 kHz, the default first. Its fifth, `kal`, is kal16 at 8 kHz and left out: one engine has one
 * format. `rms` comes first because it is the clearest: recognizers make the fewest errors on it.
 */
export const FLITE_VOICES: readonly FliteVoice[] = [
  { id: 'rms', name: 'RMS (US English, male)', language: 'en', naturalStretch: 1 },
  {
    id: 'slt',
    name: 'SLT (US English, female)',
    language: 'en',
    naturalStretch: 1,
    traits: { timbre: 'female', pitchHz: 166, rangeSemitones: 0.93, syllablesPerSecond: 4.55 },
    response: { gain: 0.42, skew: 0.09 },
  },
  {
    id: 'awb',
    name: 'AWB (Scottish English, male)',
    language: 'en',
    naturalStretch: 1,
    traits: { timbre: 'male', pitchHz: 126, rangeSemitones: 1.48, syllablesPerSecond: 4.9 },
    response: { gain: 0.45, skew: 0.18 },
  },
  {
    id: 'kal16',
    name: 'KAL (US English, male, robotic)',
    language: 'en',
    naturalStretch: 1.1,
    traits: { timbre: 'robotic', pitchHz: 88, rangeSemitones: 1.7, syllablesPerSecond: 4.94 },
    response: { gain: 0.68, skew: 0.53 },
  },
]
