import { groupPoints, type SpeechPiece, squaredDistance } from '@svc-audio/engine-ports/listening'
import { type EncodedVoice, WINDOW_SAMPLES } from './voice-encoder.ts'

/** A stretch of speech without a pause, with its windows in the order of time. */
export type Stretch = readonly EncodedVoice[]

/**
 * From this squared distance on, two clusters are two speakers. Distances of the same speaker are near 0 beyond chance,
 * those of two people 0.4 and more in the telephone band. Values from 0.22 to 0.3 find the same number of speakers in
 * recordings of people.
 */
const LEAST_DIFFERENCE = 0.26

/** Squared distance that chance explains: this value divided by the weights of both clusters. */
const UNCERTAINTY = 0.9

/** Weight of a whole window: half of it is in the next one too. */
const WINDOW_WEIGHT = 0.5

/** A change of the speaker without a pause must make the windows this much more alike, as a sum of cosines. */
const CHANGE_COST = 0.1

/** A piece of speech of one speaker. */
export interface VoicePiece extends SpeechPiece {
  /** The speaker, from 0 in the order of first speech. */
  readonly speaker: number
}

/** Groups the windows of a recording by speaker. Finds the number of speakers itself. */
export function findVoices(stretches: readonly Stretch[]): readonly VoicePiece[] {
  const windows = stretches.flat()
  const groups = groupPoints(
    windows.map(({ voice, startSample, endSample }, index) => ({
      center: voice,
      weight: WINDOW_WEIGHT * Math.min((endSample - startSample) / WINDOW_SAMPLES, 1),
      members: [index],
    })),
    {
      difference: (a, b) => squaredDistance(a.center, b.center) - UNCERTAINTY * (1 / a.weight + 1 / b.weight),
      min: LEAST_DIFFERENCE,
      isCertain: ({ weight }) => weight >= WINDOW_WEIGHT,
      distance: (a, b) => squaredDistance(a.center, b.center),
    },
  )
  const centers = centersOf(windows, groups)
  const pieces = stretches.flatMap((stretch) => cutAtChanges(stretch, bestPath(stretch, centers)))
  const order = [...new Set(pieces.map(({ speaker }) => speaker))]
  return pieces.map((piece) => ({ ...piece, speaker: order.indexOf(piece.speaker) }))
}

/** The mean direction of each group. */
function centersOf(windows: readonly EncodedVoice[], groups: readonly number[]): Float64Array[] {
  const centers: Float64Array[] = []
  for (const [index, { voice }] of windows.entries()) {
    const sum = (centers[groups[index] ?? 0] ??= new Float64Array(voice.length))
    for (const [at, number] of voice.entries()) sum[at] = (sum[at] ?? 0) + number
  }
  return centers.map((sum) => {
    const length = Math.hypot(...sum)
    return sum.map((number) => number / length)
  })
}

/** The speakers of the windows with the highest sum of cosines, less the cost of changes. */
function bestPath(stretch: Stretch, centers: readonly Float64Array[]): readonly number[] {
  let scores = centers.map(() => 0)
  const steps: number[][] = []
  for (const { voice } of stretch) {
    const best = scores.indexOf(Math.max(...scores))
    const changed = (scores[best] ?? 0) - CHANGE_COST
    steps.push(scores.map((score, speaker) => (score >= changed ? speaker : best)))
    scores = scores.map((score, speaker) => Math.max(score, changed) + product(voice, centers[speaker]))
  }
  const path = [scores.indexOf(Math.max(...scores))]
  for (const step of steps.slice(1).toReversed()) path.unshift(step[path[0] ?? 0] ?? 0)
  return path
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
