import { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { signal, sine } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { describe, expect, test } from 'vitest'
import { type Cluster, cutSpeech, join, mergeByWard, type Merged, squaredDistance } from './speakers.ts'

const point = (index: number, ...center: number[]): Cluster => ({
  center: Float64Array.from(center),
  weight: 1,
  members: [index],
})

/** Heights of all merges, the last first. */
function heights(tree: Merged | undefined): number[] {
  if (tree?.parts === undefined) return []
  return [tree.height, ...tree.parts.flatMap(heights)].toSorted((a, b) => b - a)
}

/** A reference implementation: compares all pairs before each merge. */
function heightsByTrial(points: readonly Cluster[]): number[] {
  const left = [...points]
  const found: number[] = []
  while (left.length > 1) {
    const pairs = left.flatMap((a, index) => left.slice(index + 1).map((b) => [a, b] as const))
    const price = ([a, b]: readonly [Cluster, Cluster]): number =>
      (squaredDistance(a.center, b.center) * a.weight * b.weight) / (a.weight + b.weight)
    const [a, b] = pairs.reduce((best, pair) => (price(pair) < price(best) ? pair : best))
    found.unshift(price([a, b]))
    left.splice(left.indexOf(a), 1, join(a, b))
    left.splice(left.indexOf(b), 1)
  }
  return found.toSorted((a, b) => b - a)
}

describe("Ward's method", () => {
  test('no points make no tree, and one point makes itself', () => {
    expect(mergeByWard([])).toBeUndefined()
    expect(mergeByWard([point(0, 5)])).toMatchObject({ members: [0], height: 0, parts: undefined })
  })

  test('two groups are the two halves of the tree', () => {
    const tree = mergeByWard([point(0, 0), point(1, 10), point(2, 1), point(3, 11), point(4, 0.5)])
    const parts = tree?.parts
      ?.map(({ members }) => members.toSorted((a, b) => a - b))
      .toSorted((a, b) => b.length - a.length)
    expect(parts).toEqual([
      [0, 2, 4],
      [1, 3],
    ])
    // 3 * 2 / 5 * 10 squared, of centres 0.5 and 10.5
    expect(tree?.height).toBeCloseTo(120)
  })

  test.each([1, 2, 3])('the chain of neighbours finds the same tree as the reference (%d)', (seed) => {
    const random = new Random(seed)
    const points = Array.from({ length: 40 }, (_, index) => ({
      ...point(index, random.next(), random.next(), random.next()),
      weight: random.between(0.5, 3),
    }))
    const expected = heightsByTrial(points)
    for (const [index, height] of heights(mergeByWard(points)).entries())
      expect(height).toBeCloseTo(expected[index] ?? 0)
  })

  test('equal points do not make an endless chain', () => {
    const points = Array.from({ length: 50 }, (_, index) => point(index, index % 2))
    expect(mergeByWard(points)?.members.toSorted((a, b) => a - b)).toEqual([...points.keys()])
  })

  test('a merged centre is the weighted mean', () => {
    const heavy: Cluster = { center: Float64Array.of(0, 0), weight: 3, members: [7] }
    expect(join(heavy, point(9, 4, 8))).toEqual({ center: Float64Array.of(1, 2), weight: 4, members: [7, 9] })
  })
})

const USUAL = 32_000

test.each([0.1, 1, 2, 2.9, 3, 4.9, 5, 7.3, 60])(
  'a span of %d s is cut into pieces without a gap, none longer than one and a half of the usual length',
  (seconds) => {
    const samples = signal(seconds, (second) => 0.3 * sine(440, second))
    const pieces = cutSpeech(samples, { start: 0, end: samples.length }, USUAL)
    expect(pieces[0]?.startSample).toBe(0)
    expect(pieces.at(-1)?.endSample).toBe(samples.length)
    for (const [index, { startSample, endSample }] of pieces.entries()) {
      expect(endSample - startSample).toBeLessThanOrEqual(1.5 * USUAL)
      expect(pieces[index + 1]?.startSample ?? endSample).toBe(endSample)
    }
  },
)
