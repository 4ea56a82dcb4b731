import { toVtt } from '@svc-audio/core/subtitles'
import type { Place } from '../join/joiner.ts'
import type { NarrationSection } from '../narration.ts'
import type { ScriptSegment } from '../narrator/script.ts'
import { segmentCues } from './segment-cues.ts'

/**
 * Captions of a page, as WebVTT. The identifier of a cue is its segment and its number in the segment, e.g. `3.1`: the
 * player marks paragraphs by it.
 * @param places One for each segment.
 * @param language Language of the page, for the ends of sentences.
 */
export function captionsOf(
  segments: readonly ScriptSegment[],
  places: readonly Place[],
  language: string | undefined,
): string {
  const cues = places.flatMap((place, segment) => {
    const text = (segments[segment]?.written ?? '').replace(/\s+/g, ' ').trim()
    const own = text === '' ? [] : segmentCues(text, place, language)
    return own.map((cue, index) => ({ id: `${segment + 1}.${index + 1}`, cue }))
  })
  const ids = cues.map(({ id }) => id).values()
  const vtt = toVtt(
    cues.map(({ cue }) => cue),
    { minCueSeconds: 0 },
  )
  return vtt.replace(/^(?=\d+:\d\d:\d\d\.\d{3} --> )/gm, () => `${ids.next().value ?? ''}\n`)
}

/** The headings of a page with their times. */
export function sectionsOf(
  segments: readonly ScriptSegment[],
  places: readonly Place[],
  durationSeconds: number,
): NarrationSection[] {
  const starts = segments.flatMap(({ heading }, index) => {
    const startSecond = places[index]?.startSecond
    return heading === undefined || startSecond === undefined ? [] : [{ ...heading, startSecond }]
  })
  return starts.map(({ title, level, id, startSecond }, index) => {
    return { title, level, id, startSecond, endSecond: starts[index + 1]?.startSecond ?? durationSeconds }
  })
}
