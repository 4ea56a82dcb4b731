import { DIARIZATION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import FFT from 'fft.js'

/** Samples of one window: 32 ms, two periods of the deepest voice. */
export const WINDOW_SAMPLES = 512

/**
 * Numbers that describe the timbre of a window. Twenty distinguish voices. A dozen, as recognizers use, distinguish
 * only sounds.
 */
export const TIMBRE_SIZE = 20

/** Bands of equal width to the ear, over the range that distinguishes voices and that most microphones record. */
const BANDS = 30
const LOWEST_HERTZ = 80
const HIGHEST_HERTZ = 7600

/** Raises treble, which has little power in a voice but much character. */
const PRE_EMPHASIS = 0.97

/** Added to the power of each band, so that digital silence has a logarithm: far below the softest noise. */
const LEAST_POWER = 1

interface Band {
  readonly first: number
  readonly weights: Float64Array
}

/**
 * Describes the timbre of a window by its mel-frequency cepstrum: the outline of the spectrum at the ear's resolution,
 * coefficients 1 to {@link TIMBRE_SIZE}. Omits the zeroth, loudness, because it depends on the distance to the
 * microphone.
 */
export class TimbreMeter {
  readonly #transform = new FFT(WINDOW_SAMPLES)
  readonly #window = Float64Array.from(
    { length: WINDOW_SAMPLES },
    (_, index) => 0.54 - 0.46 * Math.cos((2 * Math.PI * index) / (WINDOW_SAMPLES - 1)),
  )
  readonly #bands = melBands()
  readonly #cosines = Array.from({ length: TIMBRE_SIZE }, (_, order) =>
    Float64Array.from({ length: BANDS }, (__, band) => Math.cos((Math.PI * (order + 1) * (band + 0.5)) / BANDS)),
  )
  readonly #signal = new Float64Array(WINDOW_SAMPLES)
  /** Real and imaginary part of each frequency in turn. */
  readonly #spectrum = new Float64Array(2 * WINDOW_SAMPLES)
  readonly #logs = new Float64Array(BANDS)

  /** @param samples {@link WINDOW_SAMPLES} samples. */
  measure(samples: Int16Array): Float64Array {
    let before = samples[0] ?? 0
    for (let index = 0; index < WINDOW_SAMPLES; index += 1) {
      const sample = samples[index] ?? 0
      this.#signal[index] = (sample - PRE_EMPHASIS * before) * (this.#window[index] ?? 0)
      before = sample
    }
    this.#transform.realTransform(this.#spectrum, this.#signal)
    for (const [index, { first, weights }] of this.#bands.entries()) {
      let sum = LEAST_POWER
      for (let bin = 0; bin < weights.length; bin += 1) sum += (weights[bin] ?? 0) * this.#power(first + bin)
      this.#logs[index] = Math.log(sum)
    }
    return Float64Array.from(this.#cosines, (cosines) => {
      let sum = 0
      for (let band = 0; band < BANDS; band += 1) sum += (cosines[band] ?? 0) * (this.#logs[band] ?? 0)
      return sum * Math.sqrt(2 / BANDS)
    })
  }

  #power(bin: number): number {
    return (this.#spectrum[2 * bin] ?? 0) ** 2 + (this.#spectrum[2 * bin + 1] ?? 0) ** 2
  }
}

const toMel = (hertz: number): number => 1127 * Math.log(1 + hertz / 700)
const toHertz = (mel: number): number => 700 * (Math.exp(mel / 1127) - 1)

/** Overlapping triangles, evenly spaced in mel. */
function melBands(): Band[] {
  const low = toMel(LOWEST_HERTZ)
  const step = (toMel(HIGHEST_HERTZ) - low) / (BANDS + 1)
  const bin = (corner: number): number => (toHertz(low + corner * step) * WINDOW_SAMPLES) / DIARIZATION_SAMPLE_RATE
  return Array.from({ length: BANDS }, (_, index) => {
    const [from, peak, to] = [bin(index), bin(index + 1), bin(index + 2)]
    const first = Math.ceil(from)
    const weights = Float64Array.from({ length: Math.floor(to) - first + 1 }, (__, offset) => {
      const at = first + offset
      return at < peak ? (at - from) / (peak - from) : (to - at) / (to - peak)
    })
    return { first, weights }
  })
}
