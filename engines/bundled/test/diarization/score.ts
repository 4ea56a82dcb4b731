import type { SpeakerSegment } from '@svc-audio/engine-ports'
import type { SpokenSpan } from './dialogue.ts'

/** Quality of a diarization. */
export interface Score {
  /**
   * Share of the speaking time assigned to the right speaker, 0 to 1, under the best one-to-one mapping of found to
   * real speakers. Unassigned time is wrong.
   */
  readonly right: number
  /** Number of found speakers. */
  readonly found: number
  /** Silent time in segments, as a share of the speaking time. Pauses inside a sentence count. */
  readonly extra: number
}

const SAMPLE_RATE = 16_000

/** Compares a diarization with the known dialogue. */
export function scoreDiarization(spans: readonly SpokenSpan[], segments: readonly SpeakerSegment[]): Score {
  const found = [...new Set(segments.map(({ speaker }) => speaker))]
  const real = [...new Set(spans.map(({ speaker }) => speaker))]
  const shared = real.map((speaker) =>
    found.map((name) =>
      overlap(
        spans.filter((span) => span.speaker === speaker),
        segments.filter((segment) => segment.speaker === name),
      ),
    ),
  )
  const spoken = spans.reduce((sum, { start, end }) => sum + end - start, 0) / SAMPLE_RATE
  const labelled = segments.reduce((sum, { startSecond, endSecond }) => sum + endSecond - startSecond, 0)
  const covered = overlap(union(spans), segments)
  return { right: bestMapping(shared) / spoken, found: found.length, extra: (labelled - covered) / spoken }
}

/** The time in which anybody speaks. */
function union(spans: readonly SpokenSpan[]): SpokenSpan[] {
  const merged: SpokenSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last === undefined || span.start > last.end) merged.push(span)
    else merged.splice(-1, 1, { ...last, end: Math.max(last.end, span.end) })
  }
  return merged
}

function overlap(spans: readonly SpokenSpan[], segments: readonly SpeakerSegment[]): number {
  let seconds = 0
  for (const { start, end } of spans) {
    for (const { startSecond, endSecond } of segments)
      seconds += Math.max(Math.min(end / SAMPLE_RATE, endSecond) - Math.max(start / SAMPLE_RATE, startSecond), 0)
  }
  return seconds
}

/** The largest sum with at most one value of each row and column, by trying all: there are five rows at most. */
function bestMapping(rows: readonly (readonly number[])[], taken: ReadonlySet<number> = new Set()): number {
  const [row, ...rest] = rows
  if (row === undefined) return 0
  const choices = row.map((seconds, column) =>
    taken.has(column) ? 0 : seconds + bestMapping(rest, new Set([...taken, column])),
  )
  return Math.max(bestMapping(rest, taken), ...choices)
}
