import { type PcmFormat, Resampler } from '@svc-audio/core/audio'
import { integer, type OptionRules } from '#options'
import FFT from 'fft.js'
import { checkOptions } from '../check-options.ts'
import { FRAMES_PER_SECOND } from './ear.ts'

/** Rate at which sound is looked at, in hertz. */
const RATE = 16_000
/** Samples from one frame to the next: 20 ms. */
const HOP = RATE / FRAMES_PER_SECOND
/** Samples of a spectrum: 32 ms. */
const SIZE = 512
/** Frequencies of a spectrum. */
const BINS = SIZE / 2 + 1
/** Raises the harmonics above the fundamental: they tell a held tone from a gliding voice. */
const PRE_EMPHASIS = 0.95

/**
 * A frame is compared with those of 100 and 200 ms before: most sounds of speech are shorter, most tones are longer. A
 * vibrato swings about five times per second, so its frequency is the same after 200 ms, and the farthest after 100.
 */
const LAG = 5
const LONG_LAG = 2 * LAG
const SHAPES = LONG_LAG + 1
/** Frames this far below the loud ones are not looked at, in dB: the room, and the ends of tones. */
const RANGE = 30
/** Frames below this level are the room, in dB below full scale. */
const LOWEST = -45
/** Which of the levels counts as loud: single frames are clicks. */
const LOUD_SHARE = 0.95

/** Compared frames in a stretch, half a second. Speech within a melody is found by the stretch that holds it. */
const STRETCH = 25
/** Frames from one stretch to the next. */
const STRETCH_STEP = 5
/** With fewer compared frames there is no verdict. */
const FEWEST = 20
/** In a melody, a quarter of the frames of each stretch is at least so similar to an earlier one. */
const HELD_SIMILARITY = 0.84
const HELD_SHARE = 0.75
/** In a whistle, whose tones may glide, this share of the power lies around one frequency. */
const NARROW_POWER = 0.9
/** Frequencies of a spectrum on each side of the strongest one. */
const NEIGHBOURS = 2

/** Keeps silence from a division by 0. */
const TINY = 1e-12

const RULES: OptionRules = {
  sampleRate: integer(8000, 'hertz'),
  channels: (value) => (value === 1 ? undefined : 'must be 1'),
  bitDepth: (value) => (value === 16 ? undefined : 'must be 16'),
}

/** What is known about a frame. */
interface Frame {
  readonly level: number
  /** Likeness of its spectrum to that of an earlier frame, 0 to 1. */
  readonly similarity: number
  /** Share of the power around the strongest frequency. */
  readonly narrowness: number
}

/**
 * Tells melodies from speech while a sound is recorded: instruments, whistling, humming, ringing. The spectrum of a held
 * tone stays, and that of speech changes with each of its sounds. Recognizers write words for melodies, so their
 * transcript does not tell. A sound counts as a melody only if no half second of it may be speech. Songs with words are
 * speech, and so is music over which somebody speaks.
 */
export class MelodyMeasure {
  readonly #resampler: Resampler | undefined
  readonly #spectrum = new Spectrum(SIZE)
  readonly #frames: Frame[] = []
  readonly #emphasized = new Float32Array(SIZE)
  readonly #powers = new Float64Array(BINS)
  /** Shapes of the last spectra, in turn. */
  readonly #shapes = Array.from({ length: SHAPES }, () => new Float64Array(BINS))
  #waiting = new Float32Array()
  #odd: Uint8Array | undefined

  /**
   * @param format 16-bit mono.
   * @throws ConfigurationError naming the field
   */
  constructor(format: PcmFormat) {
    checkOptions('MelodyMeasure', format, RULES)
    this.#resampler = format.sampleRate === RATE ? undefined : new Resampler(format.sampleRate, RATE)
  }

  /** Takes the next piece of the sound, of any size. */
  push(pcm: Uint8Array): void {
    const samples = this.#samplesOf(pcm)
    const fresh = this.#resampler?.push(samples) ?? samples
    const all = new Float32Array(this.#waiting.length + fresh.length)
    all.set(this.#waiting)
    all.set(fresh, this.#waiting.length)
    let at = 0
    for (; at + SIZE <= all.length; at += HOP) this.#look(all.subarray(at, at + SIZE))
    this.#waiting = all.slice(at)
  }

  /** Whether the sound so far is a melody. A short one is not: it may be a word. */
  get isMelody(): boolean {
    const compared = this.#comparedFrames()
    if (compared.length < FEWEST) return false
    for (let start = 0; start === 0 || start + STRETCH <= compared.length; start += STRETCH_STEP) {
      if (!isSteady(compared.slice(start, start + STRETCH))) return false
    }
    return true
  }

  /** Loud frames behind loud frames. */
  #comparedFrames(): Frame[] {
    const levels = this.#frames.map(({ level }) => level).filter((level) => level > LOWEST)
    const min = Math.max(LOWEST, quantile(levels, LOUD_SHARE) - RANGE)
    const compared: Frame[] = []
    let loud = 0
    for (const frame of this.#frames) {
      loud = frame.level > min ? loud + 1 : 0
      if (loud > LAG) compared.push(frame)
    }
    return compared
  }

  #look(samples: Float32Array): void {
    let squares = 0
    for (let index = 1; index < SIZE; index += 1) {
      const sample = samples[index] ?? 0
      squares += sample * sample
      this.#emphasized[index] = sample - PRE_EMPHASIS * (samples[index - 1] ?? 0)
    }
    this.#spectrum.measure(this.#emphasized, this.#powers)
    // The oldest shape makes room for the new one.
    const shape = this.#shapes[this.#frames.length % SHAPES] ?? new Float64Array()
    writeShape(this.#powers, shape)
    const similarities = [LAG, LONG_LAG].map((lag) => similarityOf(shape, this.#shapeBefore(lag)))
    this.#frames.push({
      level: 10 * Math.log10(squares / SIZE + TINY),
      similarity: Math.max(...similarities),
      narrowness: narrownessOf(this.#powers),
    })
  }

  /** @param lag In frames. The first frames have nothing before them. */
  #shapeBefore(lag: number): Float64Array {
    return this.#shapes[(this.#frames.length + SHAPES - lag) % SHAPES] ?? new Float64Array()
  }

  /** A sample may lie across two pieces. */
  #samplesOf(pcm: Uint8Array): Float32Array {
    const bytes = this.#odd === undefined ? pcm : Uint8Array.of(...this.#odd, ...pcm)
    const samples = new Float32Array(Math.floor(bytes.byteLength / 2))
    this.#odd = bytes.byteLength % 2 === 0 ? undefined : bytes.slice(-1)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let index = 0; index < samples.length; index += 1) samples[index] = view.getInt16(index * 2, true) / 0x80_00
    return samples
  }
}

function isSteady(frames: readonly Frame[]): boolean {
  const narrowness = frames.reduce((sum, frame) => sum + frame.narrowness, 0) / frames.length
  if (narrowness > NARROW_POWER) return true
  const similarities = frames.map(({ similarity }) => similarity)
  return quantile(similarities, HELD_SHARE) > HELD_SIMILARITY
}

/** What stands out of a spectrum, of length 1. Roots let weak harmonics count. */
function writeShape(powers: Float64Array, shape: Float64Array): void {
  for (let bin = 0; bin < shape.length; bin += 1) shape[bin] = Math.sqrt(Math.sqrt(powers[bin] ?? 0))
  const mean = sumOf(shape) / shape.length
  let squares = TINY
  for (let bin = 0; bin < shape.length; bin += 1) {
    const height = Math.max(0, (shape[bin] ?? 0) - mean)
    shape[bin] = height
    squares += height * height
  }
  const length = Math.sqrt(squares)
  for (let bin = 0; bin < shape.length; bin += 1) shape[bin] = (shape[bin] ?? 0) / length
}

function similarityOf(one: Float64Array, other: Float64Array): number {
  let sum = 0
  for (let bin = 0; bin < one.length; bin += 1) sum += (one[bin] ?? 0) * (other[bin] ?? 0)
  return sum
}

function narrownessOf(powers: Float64Array): number {
  let strongest = 0
  for (let bin = 1; bin < powers.length; bin += 1) if ((powers[bin] ?? 0) > (powers[strongest] ?? 0)) strongest = bin
  let around = 0
  for (let bin = strongest - NEIGHBOURS; bin <= strongest + NEIGHBOURS; bin += 1) around += powers[bin] ?? 0
  return around / (sumOf(powers) + TINY)
}

function sumOf(values: Float64Array): number {
  let sum = 0
  for (const value of values) sum += value
  return sum
}

/** The value below which this share of the values lies. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const [low = 0, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return low + (high - low) * (place - Math.floor(place))
}

/** The power of the frequencies in a piece of sound, from 0 to half of its rate. Its tables are computed once. */
export class Spectrum {
  readonly #transform: FFT
  readonly #window: Float64Array
  readonly #windowed: Float64Array
  /** Real and imaginary part of each frequency in turn. */
  readonly #found: Float64Array

  /** @param size Samples of a piece: a power of two. */
  constructor(size: number) {
    this.#transform = new FFT(size)
    this.#window = Float64Array.from({ length: size }, (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / size))
    this.#windowed = new Float64Array(size)
    this.#found = new Float64Array(2 * size)
  }

  /**
   * Looks at a piece, through a Hann window.
   * @param samples As many as the size.
   * @param powers One more than half as many: the result.
   */
  measure(samples: Float32Array, powers: Float64Array): void {
    for (const [index, factor] of this.#window.entries()) this.#windowed[index] = (samples[index] ?? 0) * factor
    this.#transform.realTransform(this.#found, this.#windowed)
    for (let bin = 0; bin < powers.length; bin += 1)
      powers[bin] = (this.#found[2 * bin] ?? 0) ** 2 + (this.#found[2 * bin + 1] ?? 0) ** 2
  }
}
