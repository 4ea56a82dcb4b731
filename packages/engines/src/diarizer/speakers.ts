import type { VoicePrint } from './voice-print.ts'
import { join, mergeByWard, squaredDistance, type Cluster, type Merged } from './ward.ts'

/** Prints of less sound, or without a pitch, are too uncertain to define a speaker. They go to the most similar one. */
const LEAST_SECONDS = 0.8

/**
 * Weight of the pitch: a difference of a tenth counts as much as one standard deviation of one number of the timbre. A
 * lower weight mixes voices that differ by pitch alone. A higher one mistakes liveliness for another speaker.
 */
const PITCH_WEIGHT = 10

/**
 * From this squared distance on, two clusters are two speakers. The unit is the variance of the sounds of one voice. Over 90
 * generated dialogues, all values from 3.8 to 4.8 found the same speakers, for any pitch weight from 10 to 12.
 */
const LEAST_DIFFERENCE = 4.3

/**
 * Squared distance between the centres of two clusters that chance explains: this value divided by the seconds of each.
 * A mean over a second is a mean over ten sounds or so.
 */
const UNCERTAINTY = 6

/** Prints clustered at once, and clusters left of them. The blocks avoid quadratic time. */
const BLOCK = 1000
const LEFT_OF_BLOCK = 100

/**
 * Groups prints by speaker: returns a number for each, in the order of first appearance. Finds the number of speakers
 * itself.
 */
export function findSpeakers(prints: readonly VoicePrint[]): number[] {
  const points = toPoints(prints)
  const certain = points.filter((_, index) => isCertain(prints[index]))
  const speakers = mergeAlike(cutWhereDifferent(mergeByWard(condense(certain.length === 0 ? points : certain))))
  const labels = points.map((point, index) => nearest(point, prints[index]?.logPitch !== undefined, speakers))
  for (const [label, { members }] of speakers.entries()) {
    for (const member of members) labels[member] = label
  }
  const order = [...new Set(labels)]
  return labels.map((label) => order.indexOf(label))
}

function isCertain(print: VoicePrint | undefined): boolean {
  return print !== undefined && print.seconds >= LEAST_SECONDS && print.logPitch !== undefined
}

/** Maps prints to a space in which one voice has the same spread in every direction. The last dimension is pitch. */
function toPoints(prints: readonly VoicePrint[]): Cluster[] {
  const total = prints.reduce((sum, { seconds }) => sum + seconds, 0)
  const deviations = (prints[0]?.timbre ?? new Float64Array()).map((_, index) =>
    Math.sqrt(prints.reduce((sum, { variance, seconds }) => sum + (variance[index] ?? 0) * seconds, 0) / total),
  )
  return prints.map(({ timbre, variance, logPitch = 0, seconds }, index) => ({
    center: Float64Array.of(
      ...timbre.map((value, number) => value / (deviations[number] ?? 1)),
      // Half the logarithm of the variance is the logarithm of the deviation.
      ...variance.map((value) => Math.log(value) / 2),
      PITCH_WEIGHT * logPitch,
    ),
    weight: seconds,
    members: [index],
  }))
}

/** Reduces many points to few clusters: merges very similar points of a block. */
function condense(points: readonly Cluster[]): readonly Cluster[] {
  if (points.length <= BLOCK) return points
  const condensed: Cluster[] = []
  for (let at = 0; at < points.length; at += BLOCK) {
    const root = mergeByWard(points.slice(at, at + BLOCK))
    if (root !== undefined) condensed.push(...cutAtCount(root, LEFT_OF_BLOCK))
  }
  return condensed
}

function cutAtCount(root: Merged, count: number): Merged[] {
  const clusters = [root]
  while (clusters.length < count) {
    const highest = clusters.reduce((a, b) => (b.height > a.height ? b : a))
    if (highest.parts === undefined) return clusters
    clusters.splice(clusters.indexOf(highest), 1, ...highest.parts)
  }
  return clusters
}

/** Squared distance of two clusters beyond chance. */
function difference(a: Cluster, b: Cluster): number {
  return squaredDistance(a.center, b.center) - UNCERTAINTY * (1 / a.weight + 1 / b.weight)
}

/** Finds the largest clusters that contain no merge of different parts. */
function cutWhereDifferent(root: Merged | undefined): Cluster[] {
  if (root === undefined) return []
  if (root.parts === undefined) return [root]
  const [left, right] = root.parts.map(cutWhereDifferent)
  const pieces = [...(left ?? []), ...(right ?? [])]
  const whole = pieces.length === 2 && difference(...root.parts) < LEAST_DIFFERENCE
  return whole ? [root] : pieces
}

/**
 * Merges clusters while any two are alike. A long speech may have been cut in two because one half contains another
 * speaker's short word.
 */
function mergeAlike(clusters: readonly Cluster[]): Cluster[] {
  const left = [...clusters]
  for (;;) {
    let least = LEAST_DIFFERENCE
    let pair: readonly [Cluster, Cluster] | undefined
    for (const [index, a] of left.entries()) {
      for (const b of left.slice(index + 1)) {
        const between = difference(a, b)
        if (between >= least) continue
        least = between
        pair = [a, b]
      }
    }
    if (pair === undefined) return left
    left.splice(left.indexOf(pair[0]), 1, join(...pair))
    left.splice(left.indexOf(pair[1]), 1)
  }
}

/** Finds the most similar speaker. Without a pitch it compares the timbre alone. */
function nearest({ center }: Cluster, pitched: boolean, speakers: readonly Cluster[]): number {
  const known = pitched ? center : center.subarray(0, -1)
  const distances = speakers.map((speaker) => squaredDistance(known, speaker.center))
  return distances.indexOf(Math.min(...distances))
}
