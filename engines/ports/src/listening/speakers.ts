import { DIARIZATION_SAMPLE_RATE, speakerLabel, type SpeakerSegment } from '../diarization-engine.ts'
import { FRAME_SAMPLES, loudness } from './pcm.ts'
import type { SpeechSpan } from './speech-gate.ts'

/** Pauses of one speaker up to this length belong to the segment, in seconds. */
const JOINED_SECONDS = 0.5

/** Sound this much below the loudest of a turn, in dB, is not speech. */
const SPEECH_DEPTH = 35

/** Margin before and after speech, in frames, because soft sounds hide in it. */
const MARGIN_FRAMES = 5

/** A stretch of speech without a pause, or a part of it, in samples. */
export interface SpeechPiece {
  /** Its first sample. */
  readonly startSample: number
  /** The sample behind its last one. */
  readonly endSample: number
}

/**
 * Cuts a span of speech into equal pieces, without the silence at its edges.
 * @param usual Length to come near to, in samples. No piece is longer than one and a half of it.
 */
export function cutSpeech(samples: Int16Array, span: SpeechSpan, usual: number): SpeechPiece[] {
  const { start, end } = trim(samples, span.start, span.end)
  const count = Math.max(Math.round((end - start) / usual), 1)
  const length = Math.ceil((end - start) / count)
  return Array.from({ length: count }, (_, index) => start + index * length)
    .filter((at) => at < end)
    .map((at) => ({ startSample: at, endSample: Math.min(at + length, end) }))
}

/** Joins pieces to segments. @param speakers The speaker of each piece, from 0. */
export function joinPieces(pieces: readonly SpeechPiece[], speakers: readonly number[]): SpeakerSegment[] {
  const segments: SpeakerSegment[] = []
  for (const [index, { startSample, endSample }] of pieces.entries()) {
    const speaker = speakerLabel(speakers[index] ?? 0)
    const [startSecond, endSecond] = [toSecond(startSample), toSecond(endSample)]
    const last = segments.at(-1)
    if (last?.speaker === speaker && startSecond - last.endSecond <= JOINED_SECONDS)
      segments.splice(-1, 1, { ...last, endSecond })
    else segments.push({ startSecond, endSecond, speaker })
  }
  return segments
}

/** Removes the silence at the edges. */
function trim(samples: Int16Array, start: number, end: number): { start: number; end: number } {
  const levels = Array.from({ length: Math.floor((end - start) / FRAME_SAMPLES) }, (_, index) =>
    loudness(samples.subarray(start + index * FRAME_SAMPLES, start + (index + 1) * FRAME_SAMPLES)),
  )
  const min = Math.max(...levels) - SPEECH_DEPTH
  const first = levels.findIndex((level) => level > min) - MARGIN_FRAMES
  const last = levels.findLastIndex((level) => level > min) + 1 + MARGIN_FRAMES
  return { start: start + Math.max(first, 0) * FRAME_SAMPLES, end: Math.min(start + last * FRAME_SAMPLES, end) }
}

/** Rounds to milliseconds, which removes binary rounding noise. */
function toSecond(sample: number): number {
  return Math.round((1000 * sample) / DIARIZATION_SAMPLE_RATE) / 1000
}

/** A point, or the centre of many. */
export interface Cluster {
  /** The weighted mean of its points. */
  readonly center: Float64Array
  /** The sum of the weights of its points. */
  readonly weight: number
  /** Indices of the points in the cluster. */
  readonly members: readonly number[]
}

/** When two clusters are two speakers. */
interface Limit {
  /** How much two clusters differ. */
  readonly difference: (a: Cluster, b: Cluster) => number
  /** From this difference on, two clusters are two groups. */
  readonly min: number
}

/** Options of {@link groupPoints}. */
export interface GroupOptions extends Limit {
  /** Whether a point may define a group. The others join the nearest group. Without such a point, all define groups. */
  readonly isCertain: (point: Cluster) => boolean
  /** The distance of a point from a group. @default `difference` */
  readonly distance?: (point: Cluster, group: Cluster) => number
}

/**
 * Groups points, and finds the number of groups itself.
 * @param points Each of one member: its index.
 * @returns The group of each point, numbered from 0 in the order of their first points
 */
export function groupPoints(
  points: readonly Cluster[],
  { isCertain, distance, ...limit }: GroupOptions,
): readonly number[] {
  const certain = points.filter(isCertain)
  const tree = mergeByWard(condense(certain.length === 0 ? points : certain))
  const groups = mergeAlike(cutWhereDifferent(tree, limit), limit)
  const labels = points.map((point) => {
    const distances = groups.map((group) => (distance ?? limit.difference)(point, group))
    return distances.indexOf(Math.min(...distances))
  })
  for (const [label, { members }] of groups.entries()) for (const member of members) labels[member] = label
  const order = [...new Set(labels)]
  return labels.map((label) => order.indexOf(label))
}

/** Points clustered at once, and clusters left of them. The blocks avoid quadratic time. */
const BLOCK = 1000
const LEFT_OF_BLOCK = 100

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

/** Finds the largest clusters that contain no merge of different parts. */
function cutWhereDifferent(root: Merged | undefined, limit: Limit): Cluster[] {
  if (root === undefined) return []
  if (root.parts === undefined) return [root]
  const [left, right] = root.parts.map((part) => cutWhereDifferent(part, limit))
  const pieces = [...(left ?? []), ...(right ?? [])]
  const whole = pieces.length === 2 && limit.difference(...root.parts) < limit.min
  return whole ? [root] : pieces
}

/**
 * Merges clusters while any two are alike. A long speech may have been cut in two because one half contains another
 * speaker's short word.
 */
function mergeAlike(clusters: readonly Cluster[], { difference, min: limit }: Limit): Cluster[] {
  const left = [...clusters]
  for (;;) {
    let min = limit
    let pair: readonly [Cluster, Cluster] | undefined
    for (const [index, a] of left.entries()) {
      for (const b of left.slice(index + 1)) {
        const between = difference(a, b)
        if (between >= min) continue
        min = between
        pair = [a, b]
      }
    }
    if (pair === undefined) return left
    left.splice(left.indexOf(pair[0]), 1, join(...pair))
    left.splice(left.indexOf(pair[1]), 1)
  }
}

/** A cluster and its parts. */
export interface Merged extends Cluster {
  /** Increase of the sum of squared distances of points from their centres by the merge; 0 for a point. */
  readonly height: number
  readonly parts: readonly [Merged, Merged] | undefined
}

/** Squared distance of two points. */
export function squaredDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index += 1) sum += ((a[index] ?? 0) - (b[index] ?? 0)) ** 2
  return sum
}

/** Merges two clusters. */
export function join(a: Cluster, b: Cluster): Cluster {
  const weight = a.weight + b.weight
  const center = a.center.map((value, index) => (value * a.weight + (b.center[index] ?? 0) * b.weight) / weight)
  return { center, weight, members: [...a.members, ...b.members] }
}

/** Cost of a merge by Ward's method. */
function cost(a: Cluster, b: Cluster): number {
  return (squaredDistance(a.center, b.center) * a.weight * b.weight) / (a.weight + b.weight)
}

/**
 * Merges clusters by Ward's method until one is left: always the two with the cheapest merge. Returns `undefined` for
 * none.
 *
 * It follows chains of nearest neighbours to pairs that are each other's nearest. This gives the same tree in quadratic
 * time, without a table of distances.
 */
export function mergeByWard(clusters: readonly Cluster[]): Merged | undefined {
  const open = new Set(clusters.map((cluster): Merged => ({ ...cluster, height: 0, parts: undefined })))
  const chain: Merged[] = []
  while (open.size > 1) {
    const tip = chain.at(-1) ?? anyOf(open)
    if (chain.length === 0) chain.push(tip)
    const before = chain.at(-2)
    const { nearest, height } = findNearest(tip, open, before)
    if (nearest !== before) {
      chain.push(nearest)
      continue
    }
    chain.length -= 2
    open.delete(tip)
    open.delete(nearest)
    open.add({ ...join(nearest, tip), height, parts: [nearest, tip] })
  }
  return open.size === 0 ? undefined : anyOf(open)
}

function anyOf<Item>(items: ReadonlySet<Item>): Item {
  for (const item of items) return item
  throw new RangeError('The set is empty')
}

/** Finds the nearest cluster. Prefers `favourite` among equals: a circular chain would never end. */
function findNearest(
  tip: Merged,
  open: ReadonlySet<Merged>,
  favourite: Merged | undefined,
): { nearest: Merged; height: number } {
  let nearest = favourite ?? tip
  let height = favourite === undefined ? Infinity : cost(tip, favourite)
  for (const other of open) {
    if (other === tip || other === favourite) continue
    const price = cost(tip, other)
    if (price >= height) continue
    nearest = other
    height = price
  }
  return { nearest, height }
}
