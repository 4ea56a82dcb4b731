import { type Cluster, groupPoints } from '@svc-audio/engine-ports/listening'

/** Embeddings of less speech are too uncertain to define a speaker. They go to the most similar one. */
const LEAST_SECONDS = 0.8

/**
 * Groups embeddings by speaker: returns a number for each, in the order of first appearance. Finds the number of speakers
 * itself.
 * @param seconds Seconds of speech behind each embedding.
 * @param similarity Two voices whose cosine similarity is at least this are one speaker.
 */
export function groupEmbeddings(
  embeddings: readonly Float32Array[],
  seconds: readonly number[],
  similarity: number,
): readonly number[] {
  const points = embeddings.map((embedding, index) => toPoint(embedding, seconds[index] ?? 0, index))
  return groupPoints(points, {
    difference: distance,
    min: 1 - similarity,
    isCertain: ({ weight }) => weight >= LEAST_SECONDS,
  })
}

/** All voices have the same length: only the direction differs. */
function toPoint(embedding: Float32Array, seconds: number, index: number): Cluster {
  const length = Math.hypot(...embedding)
  const center = Float64Array.from(embedding, (value) => value / (length === 0 ? 1 : length))
  return { center, weight: seconds, members: [index] }
}

/** 0 for the same direction, 1 for voices without anything in common, 2 for opposite ones. */
function distance(a: Cluster, b: Cluster): number {
  const lengths = Math.hypot(...a.center) * Math.hypot(...b.center)
  if (lengths === 0) return 1
  return 1 - a.center.reduce((sum, value, index) => sum + value * (b.center[index] ?? 0), 0) / lengths
}
