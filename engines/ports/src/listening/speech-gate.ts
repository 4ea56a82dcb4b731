import { RECOGNITION_SAMPLE_RATE } from '../recognition-engine.ts'
import { deviation, FRAME_SAMPLES, FRAMES_PER_SECOND, loudness, percentile } from './pcm.ts'

/** Position of the speech in an utterance, in samples. */
export interface SpeechSpan {
  /** First sample of the speech, with its margin. */
  readonly start: number
  /** The sample after the last one, with its margin. */
  readonly end: number
}

/** The shortest word. */
const SHORTEST_SAMPLES = 0.1 * RECOGNITION_SAMPLE_RATE

/** Silence left before and after speech. Decoders need a little, and soft consonants hide in it. */
const MARGIN_FRAMES = 0.25 * FRAMES_PER_SECOND

/** Sound this much below the loudest within half a second, in dB, is too soft to judge. */
const JUDGED_DEPTH = 24
const NEAR_FRAMES = 0.5 * FRAMES_PER_SECOND

/** Sound this much below the loudest of all, in dB, is silence. */
const SPEECH_DEPTH = 35

/** Sound at most this much above the softest tenth, in dB, is room noise, unless all of it is. */
const NOISE_HEIGHT = 6
const LEAST_NOISE_DEPTH = 10

/** In dB over one quantization step. Softer sound is ignored. */
const SOFTEST = 30

/*
 * Measured over flite's four voices and read human speech: whole sentences have 74 voiced windows or more, and a moving
 * tint in a third of them; single words 6, and 2. Loudness varies by 2.2 dB or more. White, pink and brown noise have
 * almost no voiced window. Tones, hum and sweeps vary by 0.1 dB. The tint of beeps, and of noise followed by a tone,
 * moves in a fiftieth at most.
 */
const VOICED_PERIODICITY = 0.45
const LEAST_VOICED = 6
const MOVED_TINT = 0.15
const MOVING_FRAMES = 5
const LEAST_MOVING = 2
const LEAST_MOVING_SHARE = 0.06
/** A word of one syllable, in frames. It may have hardly more than {@link LEAST_MOVING}. */
const SYLLABLE_FRAMES = 30
const LEAST_LOUDNESS_DEVIATION = 1.2

/**
 * Finds the speech of an utterance, with a margin of silence; `undefined` when there is none. Without it a decoder
 * makes words of any noise. Speech has voiced sounds, and its loudness and tint change all the time. Noise has no
 * voice, and steady tones do not change. Music passes.
 */
export function findSpeech(samples: Int16Array): SpeechSpan | undefined {
  if (samples.length < SHORTEST_SAMPLES) return undefined
  const windows = windowsOf(samples)
  const levels = windows.map(loudness)
  const peak = levels.reduce((loudest, level) => Math.max(loudest, level), 0)
  const noise = Math.min(percentile(levels, 0.1) + NOISE_HEIGHT, peak - LEAST_NOISE_DEPTH)
  const judged = windows.map((window, index) => {
    const min = Math.max(loudestNear(levels, index) - JUDGED_DEPTH, noise, SOFTEST)
    return (levels[index] ?? 0) > min ? window : undefined
  })
  if (!isSpeech(judged)) return undefined
  const isSound = (level: number): boolean => level > Math.max(peak - SPEECH_DEPTH, noise, SOFTEST - 10)
  const first = levels.findIndex(isSound) - MARGIN_FRAMES
  const last = levels.findLastIndex(isSound) + MARGIN_FRAMES
  return {
    start: Math.max(first * FRAME_SAMPLES, 0),
    end: Math.min(last * FRAME_SAMPLES + WINDOW_SAMPLES, samples.length),
  }
}

function loudestNear(levels: readonly number[], index: number): number {
  const near = levels.slice(Math.max(index - NEAR_FRAMES, 0), index + NEAR_FRAMES + 1)
  return Math.max(...near)
}

/** @param windows One for each frame; `undefined` where it is too soft to judge. */
function isSpeech(windows: readonly (Int16Array | undefined)[]): boolean {
  const judged = windows.filter((window) => window !== undefined)
  // The cheap checks come first.
  if (judged.length < LEAST_VOICED || deviation(judged.map(loudness)) < LEAST_LOUDNESS_DEVIATION) return false
  const tints = windows.map((window) => (window === undefined ? NaN : tint(window)))
  let voiced = 0
  let moving = 0
  for (const [index, window] of windows.entries()) {
    if (window === undefined || periodicity(window) <= VOICED_PERIODICITY) continue
    voiced += 1
    const before = tints[index - MOVING_FRAMES] ?? NaN
    if (Math.abs((tints[index] ?? NaN) - before) > MOVED_TINT) moving += 1
  }
  const min = Math.max(LEAST_MOVING, LEAST_MOVING_SHARE * (judged.length - SYLLABLE_FRAMES))
  return voiced >= LEAST_VOICED && moving >= min
}

/** Windows of 32 ms, one in every frame. */
function windowsOf(samples: Int16Array): Int16Array[] {
  const count = Math.max(Math.floor((samples.length - WINDOW_SAMPLES) / FRAME_SAMPLES) + 1, 0)
  return Array.from({ length: count }, (_, index) =>
    samples.subarray(index * FRAME_SAMPLES, index * FRAME_SAMPLES + WINDOW_SAMPLES),
  )
}

/**
 * Position of the sound's energy between bass (low) and treble (high): the steepness of the samples, on a log scale.
 */
function tint(window: Int16Array): number {
  const mean = window.reduce((sum, sample) => sum + sample, 0) / window.length
  let energy = 0
  let steps = 0
  for (let index = 1; index < window.length; index += 1) {
    const sample = window[index] ?? 0
    energy += (sample - mean) ** 2
    steps += (sample - (window[index - 1] ?? 0)) ** 2
  }
  return Math.log((steps + 1) / (energy + 1))
}

/** Samples that {@link periodicity} reads: 32 ms, two periods of the deepest voice. */
const WINDOW_SAMPLES = 512

const HALF = WINDOW_SAMPLES / 2

/** Periods of human voices, 60 to 400 Hz, in samples at 8 kHz. */
const SHORTEST_PERIOD = 20
const LONGEST_PERIOD = 133

/** Removes most rumble: wind and traffic look periodic in such a short window. */
const PRE_EMPHASIS = 0.97

/**
 * Measures the repetition of a sound with the period of a human voice: near 1 in vowels, up to 0.3 in noise.
 * @param samples {@link WINDOW_SAMPLES} samples at 16 kHz.
 */
function periodicity(samples: Int16Array): number {
  const signal = halve(samples)
  let best = 0
  for (let lag = SHORTEST_PERIOD; lag <= LONGEST_PERIOD; lag += 1) {
    best = Math.max(best, similarity(signal, lag))
  }
  return best
}

/** Pre-emphasizes and halves the rate: a fourth of the work, and no voice is lost. */
function halve(samples: Int16Array): Float64Array {
  const signal = new Float64Array(HALF)
  let before = samples[0] ?? 0
  for (let index = 0; index < HALF; index += 1) {
    const first = samples[2 * index] ?? 0
    const second = samples[2 * index + 1] ?? 0
    signal[index] = first - PRE_EMPHASIS * before + second - PRE_EMPHASIS * first
    before = second
  }
  return signal
}

/** Correlation of the signal with itself `lag` samples later, -1 to 1. */
function similarity(signal: Float64Array, lag: number): number {
  let product = 0
  let early = 0
  let late = 0
  for (let index = lag; index < HALF; index += 1) {
    const a = signal[index - lag] ?? 0
    const b = signal[index] ?? 0
    product += a * b
    early += a * a
    late += b * b
  }
  return product / Math.sqrt(early * late + 1)
}
