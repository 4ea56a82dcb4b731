import { RECOGNITION_SAMPLE_RATE } from '../../../ports/recognition-engine.ts'
import { deviation, FRAME_SAMPLES, FRAMES_PER_SECOND, loudness, percentile } from './frames.ts'
import { periodicity, WINDOW_SAMPLES } from './periodicity.ts'

/** Where speech is in an utterance, in samples. */
export interface SpeechSpan {
  readonly start: number
  readonly end: number
}

/** Nobody says a word in less. */
const SHORTEST_SAMPLES = 0.1 * RECOGNITION_SAMPLE_RATE

/** Silence that is left before and after speech: the decoder needs a little, and soft consonants hide in it. */
const MARGIN_FRAMES = 0.25 * FRAMES_PER_SECOND

/** What is this much below the loudest within half a second, in dB, is too soft to tell whether it is a voice. */
const JUDGED_DEPTH = 24
const NEAR_FRAMES = 0.5 * FRAMES_PER_SECOND

/** What is this much below the loudest of all, in dB, is silence. */
const SPEECH_DEPTH = 35

/** What is no more than this above the softest tenth, in dB, is the noise of the room, unless all of it is so. */
const NOISE_HEIGHT = 6
const LEAST_NOISE_DEPTH = 10

/** In dB over one quantization step; nothing softer is listened to. */
const SOFTEST = 30

/*
 * Measured over flite's four voices and read human speech: whole sentences have 74 voiced windows or more, and a tint that
 * moves in a third of them; single words 6, and 2. Loudness varies by 2.2 dB or more. White, pink and
 * brown noise have no voiced window or next to none; tones, hum and sweeps vary by 0.1 dB; the tint of beeps, and of
 * noise that gives way to a tone, moves in a fiftieth at most.
 */
const VOICED_PERIODICITY = 0.45
const LEAST_VOICED = 6
const MOVED_TINT = 0.15
const MOVING_FRAMES = 5
const LEAST_MOVING = 2
const LEAST_MOVING_SHARE = 0.06
/** A word of one syllable, in frames, which may have hardly more than {@link LEAST_MOVING}. */
const SYLLABLE_FRAMES = 30
const LEAST_LOUDNESS_DEVIATION = 1.2

/**
 * Where an utterance has speech, with a margin of silence, or `undefined` when it has none: the decoder makes words of
 * any noise. Speech has voiced sounds, and it changes all the time in loudness and in tint; noise has no voice, and
 * steady tones do not change. Music passes.
 */
export function findSpeech(samples: Int16Array): SpeechSpan | undefined {
  if (samples.length < SHORTEST_SAMPLES) return undefined
  const windows = windowsOf(samples)
  const levels = windows.map(loudness)
  const peak = levels.reduce((loudest, level) => Math.max(loudest, level), 0)
  const noise = Math.min(percentile(levels, 0.1) + NOISE_HEIGHT, peak - LEAST_NOISE_DEPTH)
  const judged = windows.map((window, index) => {
    const least = Math.max(loudestNear(levels, index) - JUDGED_DEPTH, noise, SOFTEST)
    return (levels[index] ?? 0) > least ? window : undefined
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

/** @param windows One a frame; `undefined` where it is too soft to be judged. */
function isSpeech(windows: readonly (Int16Array | undefined)[]): boolean {
  const judged = windows.filter((window) => window !== undefined)
  // the cheap questions first
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
  const least = Math.max(LEAST_MOVING, LEAST_MOVING_SHARE * (judged.length - SYLLABLE_FRAMES))
  return voiced >= LEAST_VOICED && moving >= least
}

/** Windows of 32 ms, one in every frame. */
function windowsOf(samples: Int16Array): Int16Array[] {
  const count = Math.max(Math.floor((samples.length - WINDOW_SAMPLES) / FRAME_SAMPLES) + 1, 0)
  return Array.from({ length: count }, (_, index) =>
    samples.subarray(index * FRAME_SAMPLES, index * FRAME_SAMPLES + WINDOW_SAMPLES),
  )
}

/** Where the sound's energy lies between bass (low) and treble (high): the steepness of the samples, on a log scale. */
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
