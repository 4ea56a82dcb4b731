import { PITCH_SAMPLES, SAMPLE_RATE } from './pitch.ts'

/** Samples from one frame to the next: 10 ms. */
export const FRAME_SAMPLES: number = SAMPLE_RATE / 100

/** Index of the frame in the samples around it. */
const FRAME_AT = (PITCH_SAMPLES - FRAME_SAMPLES) / 2

/** One frame of a sample. */
export interface SampleFrame {
  /** The frame and the samples around it, enough to measure its pitch. Valid until the next frame is read. */
  readonly around: Int16Array
  /** Mean square of the frame, in the frequencies where vowels are loudest. */
  readonly energy: number
}

/**
 * Cuts PCM (16 kHz mono, 16-bit little-endian, in chunks of any size) into frames of 10 ms. Holds one chunk and 50 ms
 * in memory.
 */
export async function* sampleFrames(pcm: AsyncIterable<Uint8Array>): AsyncGenerator<SampleFrame, void, undefined> {
  const vowels = vowelFilter()
  // Silence precedes the first frame.
  let samples: Int16Array = new Int16Array(FRAME_AT)
  let filtered: Float64Array = new Float64Array(FRAME_AT)
  for await (const fresh of toSamples(pcm)) {
    samples = joined(new Int16Array(samples.length + fresh.length), samples, fresh)
    filtered = joined(new Float64Array(samples.length), filtered, Float64Array.from(fresh, vowels))
    let at = 0
    for (; at + PITCH_SAMPLES <= samples.length; at += FRAME_SAMPLES) {
      const energy = meanSquare(filtered.subarray(at + FRAME_AT, at + FRAME_AT + FRAME_SAMPLES))
      yield { around: samples.subarray(at, at + PITCH_SAMPLES), energy }
    }
    samples = samples.subarray(at)
    filtered = filtered.subarray(at)
  }
}

function joined<Values extends Int16Array | Float64Array>(whole: Values, before: Values, after: Values): Values {
  whole.set(before)
  whole.set(after, before.length)
  return whole
}

function meanSquare(values: Float64Array): number {
  let sum = 0
  for (const value of values) sum += value * value
  return sum / values.length
}

/** Yields whole samples of byte chunks. A chunk may end in the middle of a sample. */
async function* toSamples(pcm: AsyncIterable<Uint8Array>): AsyncGenerator<Int16Array, void, undefined> {
  let rest: Uint8Array = new Uint8Array(0)
  for await (const chunk of pcm) {
    const bytes = Buffer.concat([rest, chunk])
    const samples = new Int16Array(Math.floor(bytes.byteLength / 2))
    for (let index = 0; index < samples.length; index += 1) samples[index] = bytes.readInt16LE(2 * index)
    rest = bytes.subarray(2 * samples.length)
    yield samples
  }
}

const LOWEST_HZ = 500
const HIGHEST_HZ = 1500

/**
 * Creates a filter that passes 500 to 1500 Hz, where vowels are loud and hum and hiss are not. The filter has a state.
 */
function vowelFilter(): (sample: number) => number {
  const keep = Math.exp((-2 * Math.PI * LOWEST_HZ) / SAMPLE_RATE)
  const follow = 1 - Math.exp((-2 * Math.PI * HIGHEST_HZ) / SAMPLE_RATE)
  let before = 0
  let high = 0
  let once = 0
  let twice = 0
  return (sample) => {
    high = keep * (high + sample - before)
    before = sample
    once += follow * (high - once)
    twice += follow * (once - twice)
    return twice
  }
}
