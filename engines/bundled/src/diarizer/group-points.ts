import { join, mergeByWard, type Cluster, type Merged } from './ward.ts'

/** Points clustered at once, and clusters left of them. The blocks avoid quadratic time. */
const BLOCK = 1000
const LEFT_OF_BLOCK = 100

/** When two clusters are two speakers. */
interface Limit {
  readonly difference: (a: Cluster, b: Cluster) => number
  readonly min: number
}

/**
 * Groups points, and finds the number of groups itself.
 * @param difference How much two clusters differ.
 * @param min From this difference on, two clusters are two groups.
 */
export function groupPoints(
  points: readonly Cluster[],
  difference: (a: Cluster, b: Cluster) => number,
  min: number,
): Cluster[] {
  const limit = { difference, min }
  return mergeAlike(cutWhereDifferent(mergeByWard(condense(points)), limit), limit)
}

/** Numbers labels from 0, in the order of their first appearance. */
export function numberInOrder(labels: readonly number[]): number[] {
  const order = [...new Set(labels)]
  return labels.map((label) => order.indexOf(label))
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
