import { toVtt } from '@svc-audio/core/subtitles'
import type { Place } from './join/joiner.ts'
import type { NarrationSection } from './narration.ts'
import type { ScriptSegment } from './narrator/script.ts'

/** One cue for each segment: times are exact only between segments. So no limit may divide a cue. */
const ONE_CUE = { maxCharactersPerLine: 1_000_000, maxLines: 1, maxCueSeconds: 1_000_000, minCueSeconds: 0.001 }

/**
 * Captions of a page, as WebVTT.
 * @param places One for each segment; a single one counts for the whole page.
 */
export function captionsOf(segments: readonly ScriptSegment[], places: readonly Place[]): string {
  const texts =
    places.length === segments.length
      ? segments.map(({ written }) => written)
      : [segments.map(({ written }) => written).join(' ')]
  const pieces = places.flatMap(({ startSecond, endSecond }, index) => {
    const text = (texts[index] ?? '').replace(/\s+/g, ' ')
    return text === '' ? [] : [{ start: startSecond, end: endSecond, text }]
  })
  return toVtt(pieces, ONE_CUE)
}

/** The headings of a page with their times. Empty for a page without places of its segments. */
export function sectionsOf(
  segments: readonly ScriptSegment[],
  places: readonly Place[],
  durationSeconds: number,
): NarrationSection[] {
  if (places.length !== segments.length) return []
  const starts = segments.flatMap(({ heading }, index) => {
    const startSecond = places[index]?.startSecond
    return heading === undefined || startSecond === undefined ? [] : [{ ...heading, startSecond }]
  })
  return starts.map(({ title, level, id, startSecond }, index) => {
    return { title, level, id, startSecond, endSecond: starts[index + 1]?.startSecond ?? durationSeconds }
  })
}
