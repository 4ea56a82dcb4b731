import { groupPoints, type SpeechPiece, squaredDistance } from '@svc-audio/engine-ports/listening'
import { type EncodedVoice, WINDOW_SAMPLES } from './voice-encoder.ts'

/** A stretch of speech without a pause, with its windows in the order of time. */
export type Stretch = readonly EncodedVoice[]

/**
 * From this squared distance on, two clusters are two speakers. Distances of the same speaker are near 0 beyond chance,
 * those of two people 0.36 and more. In a minute of speech, 0.2 finds the right number of speakers in most conversations of
 * people. The longer one person speaks, the more a raised voice differs from a calm one beyond chance: of ten monologues
 * of two and a half minutes, 0.2 cuts two in two, and 0.26 none.
 */
const LEAST_DIFFERENCE = { ofShort: 0.2, ofLong: 0.26 } as const

/** Weights of all windows up to which a recording is short, and from which it is long: 72 and 112 s of speech. */
const LENGTHS = { short: 45, long: 70 } as const

/**
 * Squared distance that chance explains: this value divided by the weights of both clusters. The more windows a recording
 * has, the odder is its oddest one, so the value grows with the weight of all windows, between two limits. Two turns of two
 * seconds are enough for two speakers then, and an odd second of an hour makes no speaker.
 */
const UNCERTAINTY = { least: 0.45, ofWeight: 0.075, most: 0.8 } as const

/** Weight of a whole window: half of it is in the next one too. */
const WINDOW_WEIGHT = 0.5

/** A change of the speaker without a pause must make the windows this much more alike, as a sum of cosines. */
const CHANGE_COST = 0.1

/**
 * The same for a change at a pause. It falls to 0 at pauses of half a second: in shorter ones, the same person mostly goes
 * on, which decides about a word too short to know its voice. 0.15 to 0.25 do the same.
 */
const PAUSE_COST = 0.2
const PAUSE_SAMPLES = 8000

/** Windows from which the pitch of a voice counts, and the shortest one that counts, in samples: 1 s. */
const LEAST_PITCHED = 5
const LEAST_PITCHED_SAMPLES = 16_000

/**
 * Two heaps of pitches are so many semitones apart, and so many times their spread. A person's reach 4.8 times. A gap
 * of an octave is a wrong measurement.
 */
const PITCH_GAP = [3.4, 10.5] as const
const PITCH_GAP_RATIO = 5

/** A piece of speech of one speaker. */
export interface VoicePiece extends SpeechPiece {
  /** The speaker, from 0 in the order of first speech. */
  readonly speaker: number
}

/** Groups the windows of a recording by speaker. Finds the number of speakers itself. */
export function findVoices(stretches: readonly Stretch[]): readonly VoicePiece[] {
  const windows = stretches.flat()
  const points = windows.map(({ voice, startSample, endSample }, index) => ({
    center: voice,
    weight: WINDOW_WEIGHT * Math.min((endSample - startSample) / WINDOW_SAMPLES, 1),
    members: [index],
  }))
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  const uncertainty = Math.min(Math.max(UNCERTAINTY.ofWeight * total, UNCERTAINTY.least), UNCERTAINTY.most)
  const groups = groupPoints(points, {
    difference: (a, b) => squaredDistance(a.center, b.center) - uncertainty * (1 / a.weight + 1 / b.weight),
    min: leastDifference(total),
    isCertain: ({ weight }) => weight >= WINDOW_WEIGHT,
    distance: (a, b) => squaredDistance(a.center, b.center),
  })
  const centers = centersOf(windows, splitByPitch(windows, groups))
  // Once more with the centres of what was found: short windows and neighbours now count.
  const refined = centersOf(windows, bestPath(stretches, centers), centers)
  const path = bestPath(stretches, refined)
  const pieces = stretches.flatMap((stretch) => cutAtChanges(stretch, path.splice(0, stretch.length)))
  const order = [...new Set(pieces.map(({ speaker }) => speaker))]
  return pieces.map(({ startSample, endSample, speaker }) => ({
    startSample,
    endSample,
    speaker: order.indexOf(speaker),
  }))
}

/** See {@link LEAST_DIFFERENCE}: it grows evenly between a short and a long recording. */
function leastDifference(weight: number): number {
  const { ofShort, ofLong } = LEAST_DIFFERENCE
  const share = (weight - LENGTHS.short) / (LENGTHS.long - LENGTHS.short)
  return ofShort + (ofLong - ofShort) * Math.min(Math.max(share, 0), 1)
}

/** A window with a known pitch, in semitones. */
interface Pitched {
  readonly index: number
  readonly pitch: number
}

/**
 * Splits groups of two voices that differ by pitch alone, as designed voices do: their pitches make two heaps with
 * nothing between them. Those of one person make one heap.
 */
function splitByPitch(windows: readonly EncodedVoice[], groups: readonly number[]): readonly number[] {
  const labels = [...groups]
  let count = Math.max(...groups, -1) + 1
  for (let group = 0; group < count; group += 1) {
    const members = windows.flatMap(({ logPitch, startSample, endSample }, index): Pitched[] => {
      const counts = labels[index] === group && endSample - startSample >= LEAST_PITCHED_SAMPLES
      return counts && logPitch !== undefined ? [{ index, pitch: (12 * logPitch) / Math.LN2 }] : []
    })
    const limit = limitBetween(members.map(({ pitch }) => pitch))
    if (limit === undefined) continue
    for (const { index, pitch } of members) if (pitch > limit) labels[index] = count
    count += 1
    // The lower part may hold two voices again.
    group -= 1
  }
  return labels
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
  for (const [index, { voice }] of windows.entries()) {
    const sum = (centers[groups[index] ?? 0] ??= new Float64Array(voice.length))
    for (const [at, number] of voice.entries()) sum[at] = (sum[at] ?? 0) + number
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
    for (const [index, { voice, startSample, endSample }] of stretch.entries()) {
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
function cutAtChanges(stretch: Stretch, path: readonly number[]): VoicePiece[] {
  const pieces: VoicePiece[] = []
  for (const [index, { startSample, endSample }] of stretch.entries()) {
    const speaker = path[index] ?? 0
    const last = pieces.at(-1)
    if (last === undefined) pieces.push({ startSample, endSample, speaker })
    else if (last.speaker === speaker) pieces.splice(-1, 1, { ...last, endSample })
    else {
      const cut = Math.round((startSample + endSample + (stretch[index - 1]?.startSample ?? 0) + last.endSample) / 4)
      pieces.splice(-1, 1, { ...last, endSample: cut })
      pieces.push({ startSample: cut, endSample, speaker })
    }
  }
  return pieces
}
