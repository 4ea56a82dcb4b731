import type { VoiceManner } from '@svc-audio/engine-ports'
import type { Utterance } from './utterance.ts'
import type { FliteVoice } from './voices.ts'

/** A deviation above this share of the mean breaks the voice. */
const MAX_DEVIATION = 0.35

/** Returns flite's settings beside the text, for a slowdown relative to speed 1. */
export type VoiceFeatures = (stretch: number) => Omit<Utterance, 'text'>

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
