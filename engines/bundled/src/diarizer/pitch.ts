import { measurePitch, type PitchMeterOptions } from '../pcm/pitch-meter.ts'
import { DIARIZATION_SAMPLE_RATE } from '@svc-audio/engine-ports'

/** Pitch is measured at half the sample rate: a fourth of the work, and no voice is that high. */
const RATE = DIARIZATION_SAMPLE_RATE / 2

/** Voices of 400 to 60 Hz. */
const METER: PitchMeterOptions = {
  rate: RATE,
  shortest: 20,
  longest: 133,
  compared: 256,
  different: 0.35,
  nearlyBest: 0.1,
}

/** Samples at full rate in one average of the signal. */
const SMOOTHED = 16

/** Samples at full rate that {@link pitchOf} reads: 49 ms. */
export const PITCH_SAMPLES: number = 2 * (METER.compared + METER.longest)

/**
 * Returns the pitch of a voice in Hz, or `undefined` for a sound without a period.
 * @param samples {@link PITCH_SAMPLES} samples.
 */
export function pitchOf(samples: Int16Array): number | undefined {
  return measurePitch(halveRate(samples), METER)
}

function halveRate(samples: Int16Array): Float64Array {
  const signal = new Float64Array(PITCH_SAMPLES / 2)
  let sum = 0
  for (let index = 0; index < signal.length; index += 1) {
    // A mean over a millisecond removes most of the sound above 600 Hz: its hiss would hide the period of a deep voice.
    sum += (samples[2 * index] ?? 0) + (samples[2 * index + 1] ?? 0)
    sum -= (samples[2 * index - SMOOTHED] ?? 0) + (samples[2 * index + 1 - SMOOTHED] ?? 0)
    signal[index] = sum
  }
  return signal
}
