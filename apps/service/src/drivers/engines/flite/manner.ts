import type { VoiceManner } from '../../../domain/voice-design/voice-parameters.ts'
import type { Utterance } from './utterance.ts'
import type { FliteVoice } from './voices.ts'

/** A deviation above this share of the mean breaks the voice. */
const MAX_DEVIATION = 0.35

/** What flite is told beside the text, for speech that is so many times slower than at speed 1. */
export type VoiceFeatures = (stretch: number) => Omit<Utterance, 'text'>

/**
 * How a voice of flite is made to speak in a manner. Resampling by the size comes after flite, so its pitch and tempo
 * are asked for with the inverse.
 * @param manner Without it the voice speaks as it is.
 * @throws RangeError when this voice cannot change its manner
 */
export function voiceFeatures({ id, naturalStretch, response }: FliteVoice, manner?: VoiceManner): VoiceFeatures {
  if (manner === undefined) {
    return (stretch) => ({ voice: id, durationStretch: naturalStretch * stretch, stretch })
  }
  if (response === undefined) throw new RangeError(`The voice ${id} speaks in its own manner only`)
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
