import { groupPoints, type SpeechPiece, squaredDistance } from '@svc-audio/engine-ports/listening'
import type { PitchedPart } from './pitches.ts'
import { type EncodedVoice, WINDOW_SAMPLES } from './voice-encoder.ts'

/** A stretch of speech without a pause. */
export interface Stretch {
  /** Its windows, in the order of time, each from the end of the one before. */
  readonly windows: readonly EncodedVoice[]
  /** Its pitches, in parts of their own. */
  readonly pitches: readonly PitchedPart[]
}

/**
 * From this squared distance on, two clusters are two speakers. Distances of the same speaker are near 0 beyond chance,
 * those of two people 0.37 and more before chance is taken off. In 200 conversations of people of a minute, 0.16 to 0.18
 * find one wrong number of speakers. The longer one person speaks, the more a raised voice differs from a calm one beyond
 * chance: of ten monologues of two and a half minutes, 0.14 cuts one in two, and 0.17 to 0.3 none.
 */
const LEAST_DIFFERENCE = { ofShort: 0.17, ofLong: 0.22 } as const

/** Weights of all windows up to which a recording is short, and from which it is long: 72 and 112 s of speech. */
const LENGTHS = { short: 45, long: 70 } as const

/**
 * Squared distance that chance explains: this value divided by the lower weight of both clusters. The more windows a
 * recording has, the odder is its oddest one, so the value grows with the weight of all windows, between two limits. Two
 * turns of two seconds are enough for two speakers then, and an odd second of an hour makes no speaker.
 */
const UNCERTAINTY = { least: 0.7, ofWeight: 0.12, most: 1.5 } as const

/** Weight from which a window may found a speaker: about 1 s. That of a usual window is 1. */
const LEAST_WEIGHT = 0.6

/** A change of the speaker without a pause must make the windows this much more alike, as a sum of cosines. */
const CHANGE_COST = 0.1

/**
 * The same for a change at a pause. It falls to 0 at pauses of half a second: in shorter ones, the same person mostly goes
 * on, which decides about a word too short to know its voice. 0.15 to 0.25 do the same.
 */
const PAUSE_COST = 0.2
const PAUSE_SAMPLES = 8000

/** Parts with a pitch from which a voice has a pitch. */
const LEAST_PITCHED = 5

/**
 * Two heaps of pitches are so many semitones apart, and so many times their spread. Those of a person reach 5.8 times,
 * those of two synthesized voices 8.6 and more. A gap of an octave is a wrong measurement.
 */
const PITCH_GAP = [3.4, 10.5] as const
const PITCH_GAP_RATIO = 7

/** A piece of speech of one speaker. */
export interface VoicePiece extends SpeechPiece {
  /** The speaker, from 0 in the order of first speech. */
  readonly speaker: number
}

/** Groups the windows of a recording by speaker. Finds the number of speakers itself. */
export function findVoices(stretches: readonly Stretch[]): readonly VoicePiece[] {
  const windows = stretches.flatMap((stretch) => stretch.windows)
  const points = windows.map((window, index) => ({ center: window.voice, weight: weightOf(window), members: [index] }))
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  const uncertainty = Math.min(Math.max(UNCERTAINTY.ofWeight * total, UNCERTAINTY.least), UNCERTAINTY.most)
  const groups = groupPoints(points, {
    difference: (a, b) => squaredDistance(a.center, b.center) - uncertainty / Math.min(a.weight, b.weight),
    min: leastDifference(total),
    isCertain: ({ weight }) => weight >= LEAST_WEIGHT,
    distance: (a, b) => squaredDistance(a.center, b.center),
  })
  const centers = centersOf(windows, splitByPitch(stretches, groups))
  // Once more with the centres of what was found: short windows and neighbours now count.
  const refined = centersOf(windows, bestPath(stretches, centers), centers)
  const path = bestPath(stretches, refined)
  const pieces = stretches.flatMap((stretch) => cutAtChanges(stretch.windows, path.splice(0, stretch.windows.length)))
  const order = [...new Set(pieces.map(({ speaker }) => speaker))]
  return pieces.map(({ startSample, endSample, speaker }) => ({
    startSample,
    endSample,
    speaker: order.indexOf(speaker),
  }))
}

/** 1 for a usual window, and less for a shorter one. */
function weightOf({ startSample, endSample }: SpeechPiece): number {
  return Math.min((endSample - startSample) / WINDOW_SAMPLES, 1)
}

/** See {@link LEAST_DIFFERENCE}: it grows evenly between a short and a long recording. */
function leastDifference(weight: number): number {
  const { ofShort, ofLong } = LEAST_DIFFERENCE
  const share = (weight - LENGTHS.short) / (LENGTHS.long - LENGTHS.short)
  return ofShort + (ofLong - ofShort) * Math.min(Math.max(share, 0), 1)
}

/** A pitch in semitones, and the window that it is in. */
interface Pitched {
  readonly index: number
  readonly pitch: number
}

/**
 * Splits groups of two voices that differ by pitch alone, as designed voices do: their pitches make two heaps with
 * nothing between them. Those of one person make one heap.
 */
function splitByPitch(stretches: readonly Stretch[], groups: readonly number[]): readonly number[] {
  const pitches = pitchesOfWindows(stretches)
  const labels = [...groups]
  let count = Math.max(...groups, -1) + 1
  for (let group = 0; group < count; group += 1) {
    const members = pitches.filter(({ index }) => labels[index] === group)
    const limit = limitBetween(members.map(({ pitch }) => pitch))
    if (limit === undefined) continue
    const heights = new Map<number, number>()
    for (const { index, pitch } of members) heights.set(index, (heights.get(index) ?? 0) + Math.sign(pitch - limit))
    for (const [index, height] of heights) if (height > 0) labels[index] = count
    count += 1
    // The lower part may hold two voices again.
    group -= 1
  }
  return labels
}

/** The pitches, each with the window that holds its middle. */
function pitchesOfWindows(stretches: readonly Stretch[]): Pitched[] {
  let first = 0
  return stretches.flatMap(({ windows, pitches }) => {
    const before = first
    first += windows.length
    return pitches.map(({ startSample, endSample, logPitch }) => {
      const at = windows.findIndex((window) => window.endSample >= (startSample + endSample) / 2)
      return { index: before + at, pitch: (12 * logPitch) / Math.LN2 }
    })
  })
}

/** Returns the limit between two heaps of pitches, in semitones, if there are two. */
function limitBetween(pitches: readonly number[]): number | undefined {
  const sorted = pitches.toSorted((a, b) => a - b)
  const sums = sumsOf(sorted)
  const squares = sumsOf(sorted.map((pitch) => pitch ** 2))
  const total = sums.at(-1) ?? 0
  let best: { readonly spread: number; readonly gap: number; readonly limit: number } | undefined
  for (let at = LEAST_PITCHED; at <= sorted.length - LEAST_PITCHED; at += 1) {
    const rest = sorted.length - at
    const low = (sums[at - 1] ?? 0) / at
    const high = (total - low * at) / rest
    const variance = ((squares.at(-1) ?? 0) - at * low ** 2 - rest * high ** 2) / sorted.length
    const spread = Math.sqrt(Math.max(variance, 0))
    if (best !== undefined && spread >= best.spread) continue
    best = { spread, gap: high - low, limit: ((sorted[at - 1] ?? 0) + (sorted[at] ?? 0)) / 2 }
  }
  if (best === undefined) return undefined
  const [least, most] = PITCH_GAP
  return best.gap >= Math.max(least, PITCH_GAP_RATIO * best.spread) && best.gap <= most ? best.limit : undefined
}

/** The sum of the values up to each of them. */
function sumsOf(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => (sum += value))
}

/** The mean direction of each group. @param usual The centres of groups without a window */
function centersOf(
  windows: readonly EncodedVoice[],
  groups: readonly number[],
  usual: readonly Float64Array[] = [],
): Float64Array[] {
  const centers: Float64Array[] = []
  for (const [index, window] of windows.entries()) {
    const { voice } = window
    const sum = (centers[groups[index] ?? 0] ??= new Float64Array(voice.length))
    const weight = weightOf(window)
    for (const [at, number] of voice.entries()) sum[at] = (sum[at] ?? 0) + weight * number
  }
  return Array.from({ length: Math.max(centers.length, usual.length) }, (_, group) => {
    const sum = centers[group] ?? usual[group] ?? new Float64Array()
    const length = Math.hypot(...sum)
    return sum.map((number) => number / length)
  })
}

/** The speaker of each window with the highest sum of cosines, less the cost of changes. */
function bestPath(stretches: readonly Stretch[], centers: readonly Float64Array[]): number[] {
  let scores = centers.map(() => 0)
  const steps: number[][] = []
  let end = -Infinity
  for (const stretch of stretches) {
    for (const [index, { voice, startSample, endSample }] of stretch.windows.entries()) {
      const cost = index > 0 ? CHANGE_COST : PAUSE_COST * Math.max(1 - (startSample - end) / PAUSE_SAMPLES, 0)
      const best = scores.indexOf(Math.max(...scores))
      const changed = (scores[best] ?? 0) - cost
      steps.push(scores.map((score, speaker) => (score >= changed ? speaker : best)))
      scores = scores.map((score, speaker) => Math.max(score, changed) + product(voice, centers[speaker]))
      end = endSample
    }
  }
  const path = steps.length === 0 ? [] : [scores.indexOf(Math.max(...scores))]
  for (const step of steps.slice(1).toReversed()) path.push(step[path.at(-1) ?? 0] ?? 0)
  return path.toReversed()
}

function product(a: Float64Array, b: Float64Array = new Float64Array()): number {
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

/** Cuts a stretch where the speaker changes: in the middle between two windows. */
function cutAtChanges(windows: readonly EncodedVoice[], path: readonly number[]): VoicePiece[] {
  const pieces: VoicePiece[] = []
  for (const [index, { startSample, endSample }] of windows.entries()) {
    const speaker = path[index] ?? 0
    const last = pieces.at(-1)
    if (last === undefined) pieces.push({ startSample, endSample, speaker })
    else if (last.speaker === speaker) pieces.splice(-1, 1, { ...last, endSample })
    else {
      const cut = Math.round((startSample + endSample + (windows[index - 1]?.startSample ?? 0) + last.endSample) / 4)
      pieces.splice(-1, 1, { ...last, endSample: cut })
      pieces.push({ startSample: cut, endSample, speaker })
    }
  }
  return pieces
}
