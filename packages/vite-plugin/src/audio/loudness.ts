import { readWav } from '@svc-audio/core/audio'
import { PEAK, type PcmLayout, toSamples } from './wav.ts'

/** Length of a step and of a block, in seconds and in steps: a block overlaps the next one by three quarters. */
const STEP_SECONDS = 0.1
const STEPS_OF_BLOCK = 4
/** A block below this loudness is silence, and one this far below the mean of the others is a pause. */
const SILENCE_LUFS = -70
const PAUSE_LU = 10
/** Loudness of a mean square of 1. */
const OFFSET = -0.691
/** Length of the windows of the limiter, in seconds. */
const LIMITER_SECONDS = 0.005

/** A second-order filter: numerator and denominator, whose first coefficient is 1. */
interface Filter {
  readonly b: readonly [number, number, number]
  readonly a: readonly [number, number]
}

/**
 * The K-weighting of ITU-R BS.1770 for a rate: a shelf for the head, then a high pass. The recommendation gives coefficients
 * for 48 kHz; these are the analog filters that they come from.
 */
function kWeighting(sampleRate: number): readonly Filter[] {
  const shelf = Math.tan((Math.PI * 1681.974450955533) / sampleRate)
  const [q, gain] = [0.7071752369554196, 10 ** (3.999843853973347 / 20)]
  const middle = gain ** 0.4996667741545416
  const scale = 1 + shelf / q + shelf * shelf
  const pass = Math.tan((Math.PI * 38.13547087602444) / sampleRate)
  const passQ = 0.5003270373238773
  const passScale = 1 + pass / passQ + pass * pass
  return [
    {
      b: [
        (gain + (middle * shelf) / q + shelf * shelf) / scale,
        (2 * (shelf * shelf - gain)) / scale,
        (gain - (middle * shelf) / q + shelf * shelf) / scale,
      ],
      a: [(2 * (shelf * shelf - 1)) / scale, (1 - shelf / q + shelf * shelf) / scale],
    },
    { b: [1, -2, 1], a: [(2 * (pass * pass - 1)) / passScale, (1 - pass / passQ + pass * pass) / passScale] },
  ]
}

/** Filters samples in place. */
function filter(values: Float64Array, { b: [b0, b1, b2], a: [a1, a2] }: Filter): void {
  let [x1, x2, y1, y2] = [0, 0, 0, 0]
  for (let index = 0; index < values.length; index += 1) {
    const x = values[index] ?? 0
    const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
    x2 = x1
    x1 = x
    y2 = y1
    y1 = y
    values[index] = y
  }
}

/** The mean square of each step of a channel, as an ear weighs it. */
function powersOf(samples: Int16Array, channel: number, { sampleRate, channels }: PcmLayout): Float64Array {
  const values = new Float64Array(Math.floor(samples.length / channels))
  for (let index = 0; index < values.length; index += 1)
    values[index] = (samples[index * channels + channel] ?? 0) / 32_768
  for (const one of kWeighting(sampleRate)) filter(values, one)
  const step = Math.round(STEP_SECONDS * sampleRate)
  const powers = new Float64Array(Math.floor(values.length / step))
  for (let index = 0; index < powers.length * step; index += 1) {
    const at = Math.floor(index / step)
    powers[at] = (powers[at] ?? 0) + (values[index] ?? 0) ** 2 / step
  }
  return powers
}

/**
 * The integrated loudness of audio in LUFS, as EBU R 128 measures it (ITU-R BS.1770-4).
 * @returns `undefined` for silence, and for audio of less than 0.4 seconds
 */
export function integratedLoudness(samples: Int16Array, layout: PcmLayout): number | undefined {
  const all = Array.from({ length: layout.channels }, (_, channel) => powersOf(samples, channel, layout))
  const steps = Float64Array.from(all[0] ?? [], (_, index) => all.reduce((sum, one) => sum + (one[index] ?? 0), 0))
  const blocks: number[] = []
  for (let end = STEPS_OF_BLOCK; end <= steps.length; end += 1)
    blocks.push(steps.subarray(end - STEPS_OF_BLOCK, end).reduce((sum, power) => sum + power, 0) / STEPS_OF_BLOCK)
  const heard = blocks.filter((power) => loudnessOf(power) > SILENCE_LUFS)
  const limit = loudnessOf(mean(heard)) - PAUSE_LU
  const loud = heard.filter((power) => loudnessOf(power) > limit)
  return loud.length === 0 ? undefined : loudnessOf(mean(loud))
}

const loudnessOf = (power: number): number => OFFSET + 10 * Math.log10(power)
const mean = (powers: readonly number[]): number => powers.reduce((sum, power) => sum + power, 0) / powers.length

/**
 * Brings a file of 16-bit PCM to a loudness, in place. Peaks above -1 dBFS are limited for some milliseconds. Silence and
 * other files stay as they are.
 * @param lufs Integrated loudness, in LUFS.
 */
export function toLoudness(wav: Uint8Array, lufs: number): void {
  const content = readWav(wav)
  if (content?.isPcm !== true || content.bitDepth !== 16) return
  const view = new DataView(content.samples.buffer, content.samples.byteOffset, content.samples.byteLength)
  const samples = toSamples(content.samples)
  const measured = integratedLoudness(samples, content)
  if (measured === undefined) return
  const gain = 10 ** ((lufs - measured) / 20)
  const window = Math.max(1, Math.round(LIMITER_SECONDS * content.sampleRate)) * content.channels
  const turned = turnsOf(samples, gain, window)
  for (const [index, sample] of samples.entries()) {
    // From the start of a window to that of the next, the limiter moves steadily and stays at what the window allows.
    const position = index / window
    const from = Math.floor(position)
    const share = position - from
    const turn = (turned[from] ?? 1) * (1 - share) + (turned[from + 1] ?? 1) * share
    view.setInt16(index * 2, Math.max(-32_768, Math.min(32_767, Math.round(sample * gain * turn))), true)
  }
}

/** What the limiter multiplies with at the start of each window: the least that this window and the one before it need. */
function turnsOf(samples: Int16Array, gain: number, window: number): Float64Array {
  const needs = new Float64Array(Math.ceil(samples.length / window)).fill(1)
  for (const [index, sample] of samples.entries()) {
    const at = Math.floor(index / window)
    const loud = Math.abs(sample) * gain
    if (loud > PEAK) needs[at] = Math.min(needs[at] ?? 1, PEAK / loud)
  }
  return Float64Array.from({ length: needs.length + 1 }, (_, at) => Math.min(needs[at] ?? 1, needs[at - 1] ?? 1))
}
