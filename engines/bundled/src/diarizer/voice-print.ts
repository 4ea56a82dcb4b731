import { DIARIZATION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import { loudness, percentile } from '@svc-audio/engine-ports/listening'
import FFT from 'fft.js'
import { measurePitch, type PitchMeterOptions } from '../pitch-meter.ts'

/** Samples from one frame to the next: 10 ms. */
export const FRAME_SAMPLES = 160

/** Pitch moves slowly and is costly to measure, so only every other frame is measured. */
const PITCH_EVERY = 2

/** Frames this much below the loudest, in dB, are ignored: they hold room noise and echo rather than voice. */
const JUDGED_DEPTH = 20

/** With this many pitches, a few wrong octaves do not move the median. */
const LEAST_PITCHES = 8

/** The sound of a voice in one piece of a recording. */
export interface VoicePrint {
  /** Seconds of sound behind the print. */
  readonly seconds: number
  /** Mean of each number of the timbre. */
  readonly timbre: Float64Array
  /** Variance of each number of the timbre. */
  readonly variance: Float64Array
  /** Logarithm of the median pitch: a semitone is the same step for all voices. Unknown in whispers and short calls. */
  readonly logPitch: number | undefined
}

/** Takes the prints of pieces of a recording. */
export class VoicePrinter {
  readonly #meter = new TimbreMeter()

  /** Takes the print of the loud part of these samples. Returns `undefined` when they are shorter than one window. */
  take(samples: Int16Array): VoicePrint | undefined {
    const loud = loudWindows(samples)
    return loud.length === 0 ? undefined : this.#describe(loud)
  }

  #describe(windows: readonly Int16Array[]): VoicePrint {
    const timbre = new Float64Array(TIMBRE_SIZE)
    const variance = new Float64Array(TIMBRE_SIZE)
    for (const window of windows) {
      const numbers = this.#meter.measure(window)
      for (let index = 0; index < TIMBRE_SIZE; index += 1) {
        timbre[index] = (timbre[index] ?? 0) + (numbers[index] ?? 0) / windows.length
        variance[index] = (variance[index] ?? 0) + (numbers[index] ?? 0) ** 2 / windows.length
      }
    }
    // A pure tone has no variance, and the variance's logarithm is taken later.
    const spread = variance.map((square, index) => Math.max(square - (timbre[index] ?? 0) ** 2, 1e-6))
    return {
      seconds: (windows.length * FRAME_SAMPLES) / DIARIZATION_SAMPLE_RATE,
      timbre,
      variance: spread,
      logPitch: medianPitch(windows),
    }
  }
}

/** The loud windows of samples, one in every frame. */
function loudWindows(samples: Int16Array): readonly Int16Array[] {
  const windows = Array.from({ length: Math.ceil((samples.length - WINDOW_SAMPLES + 1) / FRAME_SAMPLES) }, (_, index) =>
    samples.subarray(index * FRAME_SAMPLES, index * FRAME_SAMPLES + PITCH_SAMPLES),
  )
  const levels = windows.map((window) => loudness(window.subarray(0, WINDOW_SAMPLES)))
  const min = percentile(levels, 0.95) - JUDGED_DEPTH
  return windows.filter((_, index) => (levels[index] ?? 0) >= min)
}

/** Logarithm of the median pitch of a voice; `undefined` when too few of its sounds have one. */
export function logPitchOf(samples: Int16Array): number | undefined {
  return medianPitch(loudWindows(samples))
}

function medianPitch(windows: readonly Int16Array[]): number | undefined {
  const pitches: number[] = []
  for (let index = 0; index < windows.length; index += PITCH_EVERY) {
    const window = windows[index]
    const pitch = window?.length === PITCH_SAMPLES ? pitchOf(window) : undefined
    if (pitch !== undefined) pitches.push(pitch)
  }
  return pitches.length < LEAST_PITCHES ? undefined : Math.log(percentile(pitches, 0.5))
}

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

/** Pitch is measured at half the sample rate: a fourth of the work, and no voice is that high. */
const PITCH_RATE = DIARIZATION_SAMPLE_RATE / 2

/** Voices of 400 to 60 Hz. */
const METER: PitchMeterOptions = {
  rate: PITCH_RATE,
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
