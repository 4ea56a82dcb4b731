import { type SampleLimits, type SampleTraits, UnusableSampleError } from '@svc-audio/engine-ports'
import { measurePitch, type PitchMeterOptions } from '../pitch-meter.ts'

/** Minimum time with a pitch, in seconds: a few vowels. */
const VOICED_SECONDS = 0.3
/** Enough time with a pitch, in seconds. It limits the work, not the length of a sample. */
const ENOUGH_SECONDS = 60
/** Pitch is measured in every second frame: it changes more slowly than the loudness. */
const PITCH_EVERY = 2
/** Frames at the end of a sample that cannot be measured: too few samples follow. */
const UNREAD_FRAMES = 3

/**
 * Measures the voice in a sample: 16 kHz mono PCM, 16-bit little-endian, in chunks of any size. Stores two numbers for
 * each 10 ms and none of the audio. Stops reading when the sample is too long.
 * @throws UnusableSampleError when the sample is too short or too long, or contains no voice
 */
export async function analyseSample(pcm: AsyncIterable<Uint8Array>, limits: SampleLimits): Promise<SampleTraits> {
  const energies: number[] = []
  const pitches: (number | undefined)[] = []
  let frames = UNREAD_FRAMES
  let voicedFrames = 0
  for await (const { around, energy } of sampleFrames(pcm)) {
    frames += 1
    if (frames > limits.maxSeconds * LOUDNESS_RATE) throw wrongLength('longer', limits)
    if (voicedFrames >= ENOUGH_SECONDS * LOUDNESS_RATE) continue
    const pitch = energies.length % PITCH_EVERY === 0 ? pitchOf(around) : pitches.at(-1)
    if (pitch !== undefined) voicedFrames += 1
    pitches.push(pitch)
    energies.push(energy)
  }
  if (frames < limits.minSeconds * LOUDNESS_RATE) throw wrongLength('shorter', limits)
  return describe(energies, pitches)
}

function describe(energies: readonly number[], pitches: readonly (number | undefined)[]): SampleTraits {
  const floor = speechFloor(energies.map(toDecibels))
  // Hum and reverberation have a pitch too.
  const heard = pitches.map((pitch, index) => (toDecibels(energies[index] ?? 0) > floor ? pitch : undefined))
  const voiced = heard.filter((pitch) => pitch !== undefined)
  const syllablesPerSecond = syllableRate({ energies, voiced: heard.map((pitch) => pitch !== undefined) })
  if (voiced.length < VOICED_SECONDS * LOUDNESS_RATE || !(syllablesPerSecond > 0)) {
    throw new UnusableSampleError('The sample contains no voice')
  }
  return { ...describePitch(voiced), syllablesPerSecond }
}

function describePitch(pitches: readonly number[]): Pick<SampleTraits, 'pitchHz' | 'rangeSemitones'> {
  const semitones = pitches.map((pitch) => 12 * Math.log2(pitch))
  // Two thirds of a normal distribution are within one deviation of its middle.
  const rangeSemitones = (quantile(semitones, 0.84) - quantile(semitones, 0.16)) / 2
  return { pitchHz: quantile(pitches, 0.5), rangeSemitones }
}

function wrongLength(than: 'shorter' | 'longer', { minSeconds, maxSeconds }: SampleLimits): UnusableSampleError {
  const limit = than === 'shorter' ? minSeconds : maxSeconds
  return new UnusableSampleError(`The sample is ${than} than ${limit} s`)
}

/** Sample rate of all measured audio, in Hz: the codec decodes every file to it. */
const SAMPLE_RATE = 16_000

/** Pitch is measured at half that rate: it takes a fourth of the work, and no voice is that high. */
const PITCH_RATE = SAMPLE_RATE / 2

/** Voices of 500 to 55 Hz. */
const METER: PitchMeterOptions = {
  rate: PITCH_RATE,
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

/** Samples from one frame to the next: 10 ms. */
export const FRAME_SAMPLES: number = SAMPLE_RATE / 100

/** Index of the frame in the samples around it. */
const FRAME_AT = (PITCH_SAMPLES - FRAME_SAMPLES) / 2

/** One frame of a sample. */
interface SampleFrame {
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

/** Loudness values per second. */
const LOUDNESS_RATE = 100

/** Distance of silence below the loud parts, in dB. */
const SILENCE_DB = 25
/** The loud parts start at this quantile of all values. */
const LOUD = 0.95
/** Height of a syllable above the dips beside it, in dB. */
const DIP_DB = 2
/** Longest silence within speech, in values: the closure of a stop consonant. */
const CLOSURE = 25
/** Longest distance of a peak from a pitch, in values. */
const NEAR = 3
/** Weights of a value and its neighbours: 50 ms together, shorter than a syllable. */
const SMOOTHING = [1, 2, 3, 2, 1]

/**
 * In faster speech, peaks miss more syllables. Measured on flite's voices at five known speeds each: peaks grow with
 * the rate to the power of 0.63, and 3.9 peaks are 4.6 syllables.
 */
const PEAKS_GROWTH = 0.63
const PEAKS_PER_SECOND = 3.9
const SYLLABLES_PER_SECOND = 4.6

/** The loudness of a sample over time. */
interface Loudness {
  /** Mean square of each 10 ms. */
  readonly energies: readonly number[]
  /** Whether each 10 ms has a pitch. */
  readonly voiced: readonly boolean[]
}

/** Returns the level in dB above which a sample is speech: 25 dB under its loud parts. */
export function speechFloor(decibels: readonly number[]): number {
  return quantile(decibels, LOUD) - SILENCE_DB
}

/** Converts a mean square to dB. Silence is 0. */
export function toDecibels(energy: number): number {
  return 10 * Math.log10(energy + 1)
}

/**
 * Returns syllables per second, without pauses. It counts the loud centres of syllables: peaks of the loudness with a
 * pitch, with a dip between each two.
 * @returns NaN without speech.
 */
export function syllableRate({ energies, voiced }: Loudness): number {
  const loudness = smooth(energies).map(toDecibels)
  const floor = speechFloor(loudness)
  const peaks = findPeaks(loudness).filter((at) => {
    const pitched = voiced.slice(Math.max(0, at - NEAR), at + NEAR + 1).includes(true)
    return pitched && (loudness[at] ?? 0) > floor
  })
  const rate = peaks.length / (countSpoken(loudness, floor) / LOUDNESS_RATE)
  return SYLLABLES_PER_SECOND * (rate / PEAKS_PER_SECOND) ** (1 / PEAKS_GROWTH)
}

function smooth(values: readonly number[]): number[] {
  const total = SMOOTHING.reduce((sum, weight) => sum + weight, 0)
  const half = Math.floor(SMOOTHING.length / 2)
  return values.map((_, index) =>
    SMOOTHING.reduce((sum, weight, at) => sum + (weight * (values[index + at - half] ?? 0)) / total, 0),
  )
}

/**
 * Finds the peaks of the loudness. A peak ends when the loudness falls by a dip. The next one begins when it rises by
 * a dip.
 */
function findPeaks(loudness: readonly number[]): number[] {
  const peaks: number[] = []
  let rising = true
  let turn = { at: 0, value: -Infinity }
  for (const [at, value] of loudness.entries()) {
    if (rising ? value >= turn.value : value <= turn.value) turn = { at, value }
    else if (Math.abs(value - turn.value) > DIP_DB) {
      if (rising) peaks.push(turn.at)
      rising = !rising
      turn = { at, value }
    }
  }
  return peaks
}

function countSpoken(loudness: readonly number[], floor: number): number {
  let spoken = 0
  let silent = 0
  for (const value of loudness) {
    if (value <= floor) silent += 1
    else {
      spoken += 1 + (spoken > 0 && silent <= CLOSURE ? silent : 0)
      silent = 0
    }
  }
  return spoken
}

/**
 * Returns the value below which this share of the values lies, interpolated between two values.
 * @param share 0 to 1
 * @returns NaN when there are no values
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const at = share * (sorted.length - 1)
  const low = sorted[Math.floor(at)] ?? NaN
  const high = sorted[Math.ceil(at)] ?? NaN
  return low + (high - low) * (at - Math.floor(at))
}
