import { DIARIZATION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import FFT from 'fft.js'

/** Samples from one frame to the next: 10 ms. */
export const FRAME_SAMPLES = 160

/** Bands of a frame. */
export const BANDS = 80

/** Samples in a frame: 25 ms. */
const WINDOW_SAMPLES = 400

/** The transform needs a power of two. Zeros fill the rest. */
const SIZE = 512

/** The lowest frequency of a band. */
const LEAST_HERTZ = 20

/** A sample less this share of the one before: raises high frequencies, which are weak in speech. */
const PREEMPHASIS = 0.97

/** Power of silence, so that its logarithm is a number. */
const SILENCE = 2 ** -23

const toMel = (hertz: number): number => 1127 * Math.log(1 + hertz / 700)

interface Band {
  readonly first: number
  readonly weights: Float64Array
}

/** Triangles that are evenly spaced in mel, up to half the sample rate. */
function bands(): Band[] {
  const least = toMel(LEAST_HERTZ)
  const step = (toMel(DIARIZATION_SAMPLE_RATE / 2) - least) / (BANDS + 1)
  const bins = Array.from({ length: SIZE / 2 + 1 }, (_, bin) => toMel((bin * DIARIZATION_SAMPLE_RATE) / SIZE))
  return Array.from({ length: BANDS }, (_, index) => {
    const peak = least + (index + 1) * step
    const inside = [...bins.entries()].filter(([, mel]) => Math.abs(mel - peak) < step)
    return {
      first: inside[0]?.[0] ?? 0,
      weights: Float64Array.from(inside, ([, mel]) => 1 - Math.abs(mel - peak) / step),
    }
  })
}

/** Measures the power of sound in bands, as the encoder of voices was trained with: by Kaldi. */
export class MelMeter {
  readonly #transform = new FFT(SIZE)
  readonly #window = Float64Array.from(
    { length: WINDOW_SAMPLES },
    (_, index) => (0.5 - 0.5 * Math.cos((2 * Math.PI * index) / (WINDOW_SAMPLES - 1))) ** 0.85,
  )
  readonly #bands = bands()
  readonly #signal = new Float64Array(SIZE)
  readonly #spectrum = new Float64Array(2 * SIZE)
  readonly #power = new Float64Array(SIZE / 2 + 1)

  /** Returns {@link BANDS} logarithms of power for each whole frame of the samples. Its sound is around the frame. */
  measure(samples: Int16Array): Float32Array {
    const frames = Math.floor(samples.length / FRAME_SAMPLES)
    const mels = new Float32Array(frames * BANDS)
    for (let frame = 0; frame < frames; frame += 1) {
      this.#take(samples, frame * FRAME_SAMPLES - (WINDOW_SAMPLES - FRAME_SAMPLES) / 2)
      this.#transform.realTransform(this.#spectrum, this.#signal)
      for (let bin = 0; bin < this.#power.length; bin += 1)
        this.#power[bin] = (this.#spectrum[2 * bin] ?? 0) ** 2 + (this.#spectrum[2 * bin + 1] ?? 0) ** 2
      for (const [band, { first, weights }] of this.#bands.entries()) {
        let sum = 0
        for (let bin = 0; bin < weights.length; bin += 1) sum += (weights[bin] ?? 0) * (this.#power[first + bin] ?? 0)
        mels[frame * BANDS + band] = Math.log(Math.max(sum, SILENCE))
      }
    }
    return mels
  }

  /** Sets the signal: samples without their mean, as differences, under the window. */
  #take(samples: Int16Array, start: number): void {
    let mean = 0
    for (let index = 0; index < WINDOW_SAMPLES; index += 1) mean += (samples[start + index] ?? 0) / WINDOW_SAMPLES
    let before = (samples[start] ?? 0) - mean
    for (let index = 0; index < WINDOW_SAMPLES; index += 1) {
      const sample = (samples[start + index] ?? 0) - mean
      this.#signal[index] = ((sample - PREEMPHASIS * before) * (this.#window[index] ?? 0)) / 32_768
      before = sample
    }
  }
}
