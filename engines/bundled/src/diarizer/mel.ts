import { DIARIZATION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import FFT from 'fft.js'

/** Samples from one frame to the next: 10 ms. */
export const FRAME_SAMPLES = 160

/** Bands of a frame. */
export const BANDS = 40

/** Samples in a frame: 25 ms. */
const WINDOW_SAMPLES = 400

/** The transform needs a power of two. Zeros fill the rest. */
const SIZE = 512

/** The scale of mel as Slaney defines it: linear below 1 kHz, logarithmic above. */
const LINEAR_STEP = 200 / 3
const BREAK_HERTZ = 1000
const BREAK_MEL = BREAK_HERTZ / LINEAR_STEP
const LOG_STEP = Math.log(6.4) / 27

const toMel = (hertz: number): number =>
  hertz < BREAK_HERTZ ? hertz / LINEAR_STEP : BREAK_MEL + Math.log(hertz / BREAK_HERTZ) / LOG_STEP
const toHertz = (mel: number): number =>
  mel < BREAK_MEL ? mel * LINEAR_STEP : BREAK_HERTZ * Math.exp(LOG_STEP * (mel - BREAK_MEL))

interface Band {
  readonly first: number
  readonly weights: Float64Array
}

/** Triangles of equal area, evenly spaced in mel from 0 to half the sample rate. */
function bands(): Band[] {
  const step = toMel(DIARIZATION_SAMPLE_RATE / 2) / (BANDS + 1)
  return Array.from({ length: BANDS }, (_, index) => {
    const [from = 0, peak = 0, to = 0] = [0, 1, 2].map((corner) => toHertz((index + corner) * step))
    const width = DIARIZATION_SAMPLE_RATE / SIZE
    const first = Math.ceil(from / width)
    const weights = Float64Array.from({ length: Math.floor(to / width) - first + 1 }, (__, offset) => {
      const hertz = (first + offset) * width
      return (
        ((2 / (to - from)) * Math.min((hertz - from) / (peak - from), (to - hertz) / (to - peak)) * WINDOW_SAMPLES) /
        SIZE
      )
    })
    return { first, weights }
  })
}

/** Measures the power of sound in bands, as the encoder of speakers was trained with: by librosa, without a logarithm. */
export class MelMeter {
  readonly #transform = new FFT(SIZE)
  readonly #window = Float64Array.from(
    { length: WINDOW_SAMPLES },
    (_, index) => (0.5 - 0.5 * Math.cos((2 * Math.PI * index) / WINDOW_SAMPLES)) / 32_768,
  )
  readonly #bands = bands()
  readonly #signal = new Float64Array(SIZE)
  readonly #spectrum = new Float64Array(2 * SIZE)
  readonly #power = new Float64Array(SIZE / 2 + 1)

  /** Returns {@link BANDS} numbers for each whole frame of the samples. */
  measure(samples: Int16Array): Float32Array {
    const frames = Math.floor(samples.length / FRAME_SAMPLES)
    const mels = new Float32Array(frames * BANDS)
    for (let frame = 0; frame < frames; frame += 1) {
      const start = frame * FRAME_SAMPLES - WINDOW_SAMPLES / 2
      for (let index = 0; index < WINDOW_SAMPLES; index += 1)
        this.#signal[index] = (samples[start + index] ?? 0) * (this.#window[index] ?? 0)
      this.#transform.realTransform(this.#spectrum, this.#signal)
      for (let bin = 0; bin < this.#power.length; bin += 1)
        this.#power[bin] = (this.#spectrum[2 * bin] ?? 0) ** 2 + (this.#spectrum[2 * bin + 1] ?? 0) ** 2
      for (const [band, { first, weights }] of this.#bands.entries()) {
        let sum = 0
        for (let bin = 0; bin < weights.length; bin += 1) sum += (weights[bin] ?? 0) * (this.#power[first + bin] ?? 0)
        mels[frame * BANDS + band] = sum
      }
    }
    return mels
  }
}
