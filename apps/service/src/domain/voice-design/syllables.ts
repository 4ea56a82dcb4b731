import { quantile } from './statistics.ts'

/** Loudness values a second that the tempo is measured on. */
export const LOUDNESS_RATE = 100

/** Quieter than the loud parts by so much is silence, in dB. */
const SILENCE_DB = 25
/** What counts as the loud parts: this share of all values is quieter. */
const LOUD = 0.95
/** A syllable stands out from the dips beside it by so much, in dB. */
const DIP_DB = 2
/** Silence of up to so many values belongs to speech: the closure of a stop. */
const CLOSURE = 25
/** A peak needs a pitch within so many values. */
const NEAR = 3
/** Weights of a value and those around it: 50 ms in all, shorter than a syllable. */
const SMOOTHING = [1, 2, 3, 2, 1]

/**
 * Peaks miss the more syllables the faster they follow each other. Measured on flite's voices at five speeds each, whose
 * true rates are known: peaks grow with the rate to the power of 0.63, and 3.9 of them are 4.6 syllables.
 */
const PEAKS_GROWTH = 0.63
const PEAKS_PER_SECOND = 3.9
const SYLLABLES_PER_SECOND = 4.6

/** How loud a sample is over time. */
export interface Loudness {
  /** Mean square of each 10 ms. */
  readonly energies: readonly number[]
  /** Whether there is a pitch at each of them. */
  readonly voiced: readonly boolean[]
}

/** The level in dB above which a sample is speech, 25 dB under its loud parts. */
export function speechFloor(decibels: readonly number[]): number {
  return quantile(decibels, LOUD) - SILENCE_DB
}

/** A mean square in dB; silence is 0. */
export function toDecibels(energy: number): number {
  return 10 * Math.log10(energy + 1)
}

/**
 * Syllables a second, pauses left out. They are counted by their loud centres: peaks of the loudness that have a pitch,
 * with a dip between each two.
 * @returns NaN when nothing is spoken.
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

/** Where the loudness turns. A peak is over when it has fallen by a dip; the next begins when it has risen by one. */
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
