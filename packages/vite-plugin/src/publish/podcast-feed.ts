import type { ListedNarration, Narration } from '../narration.ts'
import { absolute, element, escapeXml, textElement } from './xml.ts'

/** What only the site knows of an episode. */
export interface Episode {
  /** Address of the page. @default none */
  readonly link?: string | undefined
  /** When it was published. Players sort by it. @default none */
  readonly date?: Date | undefined
  /** Title of the episode. @default the title of the page, else its file */
  readonly title?: string | undefined
  /** What the episode is about, as plain text. @default none */
  readonly description?: string | undefined
  /** Identifies the episode for ever. @default the file of the page */
  readonly guid?: string | undefined
  /** Address of a file of {@link podcastChapters}. The feed lists the chapters too. @default none */
  readonly chapters?: string | undefined
}

/** Options of {@link podcastFeed}. */
export interface PodcastFeedOptions {
  /** Address of the site, e.g. `https://blog.example`. */
  readonly site: string
  /** Name of the podcast. */
  readonly title: string
  /** What the podcast is about, as plain text. */
  readonly description: string
  /** Language of the feed, e.g. `en`. */
  readonly language: string
  /** Address of the feed. @default none */
  readonly feedUrl?: string | undefined
  /** Who makes the podcast, as directories show it. @default none */
  readonly author?: string | undefined
  /** Address of the picture: a square of 1,400 to 3,000 pixels, which directories require. @default none */
  readonly image?: string | undefined
  /** Category of Apple's directory, e.g. `Technology`. @default none */
  readonly category?: string | undefined
  /** Whether the podcast is only for adults. @default false */
  readonly explicit?: boolean | undefined
  /** What the site knows of a narration. `undefined` leaves it out of the feed. @default every page with audio, as it is */
  readonly episode?: ((narration: ListedNarration) => Episode | undefined) | undefined
}

/**
 * A podcast feed (RSS 2.0) of narrations, newest first: with length, size, transcript and chapters. Pages without audio are
 * left out.
 * @throws TypeError when `site` is not an absolute address
 */
export function podcastFeed(narrations: readonly ListedNarration[], options: PodcastFeedOptions): string {
  const { site, title, description, language, feedUrl, author, image, category, explicit = false } = options
  const episodes = narrations
    .filter(({ src }) => src !== '')
    .flatMap((narration) => {
      const episode = options.episode === undefined ? {} : options.episode(narration)
      return episode === undefined ? [] : [{ narration, episode }]
    })
    .toSorted((a, b) => (b.episode.date?.getTime() ?? 0) - (a.episode.date?.getTime() ?? 0))
  const channel = [
    textElement('title', title),
    textElement('link', absolute('', site)),
    textElement('description', description),
    textElement('language', language),
    feedUrl === undefined
      ? ''
      : element('atom:link', { href: absolute(feedUrl, site), rel: 'self', type: 'application/rss+xml' }),
    textElement('itunes:author', author),
    image === undefined ? '' : element('itunes:image', { href: absolute(image, site) }),
    category === undefined ? '' : element('itunes:category', { text: category }),
    textElement('itunes:explicit', String(explicit)),
    ...episodes.map(({ narration, episode }) => itemOf(narration, episode, options)),
  ]
  const namespaces = {
    version: '2.0',
    'xmlns:atom': 'http://www.w3.org/2005/Atom',
    'xmlns:itunes': 'http://www.itunes.com/dtds/podcast-1.0.dtd',
    'xmlns:podcast': 'https://podcastindex.org/namespace/1.0',
    'xmlns:psc': 'http://podlove.org/simple-chapters',
  }
  const written = channel.filter((one) => one !== '').join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('rss', namespaces, element('channel', {}, `\n${written}\n`))}\n`
}

function itemOf(narration: ListedNarration, episode: Episode, { site, language }: PodcastFeedOptions): string {
  const { src, type, bytes, durationSeconds, captions, file } = narration
  const title = episode.title ?? narration.title ?? file
  const chapters = chaptersOf(narration)
  const { link, date, description, guid = file } = episode
  const parts = [
    textElement('title', title),
    textElement('link', link === undefined ? undefined : absolute(link, site)),
    textElement('description', description),
    element('guid', { isPermaLink: 'false' }, escapeXml(guid)),
    textElement('pubDate', date?.toUTCString()),
    // A feed in dev does not know the size. RSS allows 0 for that.
    element('enclosure', { url: absolute(src, site), length: bytes ?? 0, type }),
    textElement('itunes:duration', durationSeconds === undefined ? undefined : String(Math.round(durationSeconds))),
    captions === ''
      ? ''
      : element('podcast:transcript', {
          url: absolute(captions, site),
          type: 'text/vtt',
          language: narration.language ?? language,
          rel: 'captions',
        }),
    episode.chapters === undefined
      ? ''
      : element('podcast:chapters', { url: absolute(episode.chapters, site), type: 'application/json+chapters' }),
    chapters.length === 0 ? '' : chapterList(chapters),
  ]
  return element('item', {}, `\n${parts.filter((one) => one !== '').join('\n')}\n`)
}

function chapterList(chapters: ReturnType<typeof chaptersOf>): string {
  const written = chapters.map(({ startTime, title }) => element('psc:chapter', { start: clock(startTime), title }))
  return element('psc:chapters', { version: '1.2' }, written.join(''))
}

/** A normal play time, e.g. `0:01:05.250`. */
function clock(second: number): string {
  const milliseconds = Math.round(second * 1000)
  const [hours, minutes] = [Math.floor(milliseconds / 3_600_000), Math.floor(milliseconds / 60_000) % 60]
  const rest = ((milliseconds % 60_000) / 1000).toFixed(3).padStart(6, '0')
  return `${hours}:${String(minutes).padStart(2, '0')}:${rest}`
}

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
function chaptersOf({ sections }: Narration): PodcastChapters['chapters'] {
  return sections
    .filter(({ level }) => level <= MAX_LEVEL)
    .map(({ startSecond, title }) => ({ startTime: Math.round(startSecond * 1000) / 1000, title }))
}
