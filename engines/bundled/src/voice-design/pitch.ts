import { measurePitch, type PitchMeterOptions } from '../pcm/pitch-meter.ts'

/** Sample rate of all measured audio, in Hz: the codec decodes every file to it. */
export const SAMPLE_RATE = 16_000

/** Pitch is measured at half that rate: it takes a fourth of the work, and no voice is that high. */
const RATE = SAMPLE_RATE / 2

/** Voices of 500 to 55 Hz. */
const METER: PitchMeterOptions = {
  rate: RATE,
  shortest: 16,
  longest: 145,
  compared: 256,
  different: 0.2,
  nearlyBest: 0.08,
}

/** Number of samples that {@link pitchOf} needs: 50 ms. */
export const PITCH_SAMPLES: number = 2 * (METER.compared + METER.longest)

/**
 * Measures the pitch of a short piece of sound in Hz. Returns `undefined` if nothing repeats.
 * @param samples {@link PITCH_SAMPLES} samples.
 */
export function pitchOf(samples: Int16Array): number | undefined {
  return measurePitch(halveRate(samples), METER)
}

/** Halves the sample rate. Each sample is the mean of two, which also removes hiss that hides a period. */
function halveRate(samples: Int16Array): Float64Array {
  const signal = new Float64Array(PITCH_SAMPLES / 2)
  for (let index = 0; index < signal.length; index += 1) {
    signal[index] = (samples[2 * index] ?? 0) + (samples[2 * index + 1] ?? 0)
  }
  return signal
}
