/** A point, or the centre of many. */
export interface Cluster {
  /** The weighted mean of its points. */
  readonly center: Float64Array
  /** The sum of the weights of its points. */
  readonly weight: number
  /** Indices of the points in the cluster. */
  readonly members: readonly number[]
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
    const tip = chain.at(-1) ?? first(open)
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
  return open.size === 0 ? undefined : first(open)
}

function first<Item>(items: ReadonlySet<Item>): Item {
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
