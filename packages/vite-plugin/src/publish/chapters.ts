import type { Narration } from '../narration.ts'

/** A file of chapters, as the podcast namespace describes it. */
export interface PodcastChapters {
  /** Version of the format. */
  readonly version: '1.2.0'
  /** The chapters, in order. Empty for a page without headings, and in dev before the first play. */
  readonly chapters: readonly {
    /** Start of the chapter in seconds, to the millisecond. */
    readonly startTime: number
    /** Text of the heading. */
    readonly title: string
  }[]
}

/** Headings of levels 1 and 2: players show a flat list. */
const MAX_LEVEL = 2

/** The chapters of a narration: its headings of levels 1 and 2. Serve them as `application/json+chapters`. */
export function podcastChapters(narration: Narration): PodcastChapters {
  return { version: '1.2.0', chapters: chaptersOf(narration) }
}

/** The chapters, in order. */
export function chaptersOf({ sections }: Narration): PodcastChapters['chapters'] {
  return sections
    .filter(({ level }) => level <= MAX_LEVEL)
    .map(({ startSecond, title }) => ({ startTime: Math.round(startSecond * 1000) / 1000, title }))
}
