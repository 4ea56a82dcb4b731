import {
  callback,
  describeFault,
  fields,
  findOptionFault,
  flag,
  optional,
  type OptionRule,
  text,
  unknownName,
} from '#options'
import type { ListedNarration, Narration } from '../narration.ts'
import { CATEGORIES, EPISODE_TYPES } from './directories.ts'
import { absolute, element, escapeXml, textElement } from './xml.ts'

/** What only the site knows of an episode. */
export interface Episode {
  /** Address of the page. @default none */
  readonly link?: string | undefined
  /** When it was published. Players sort by it. */
  readonly date: Date
  /** Title of the episode. @default the title of the page, else its file */
  readonly title?: string | undefined
  /** What the episode is about, as plain text. @default none */
  readonly description?: string | undefined
  /** Identifies the episode for ever. Subscribers get it again if it changes. @default `guid` of the front matter */
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
  /** Who makes the podcast, as directories show it. */
  readonly author: string
  /** Address of the maker. Directories send a code to it. */
  readonly email: string
  /** Address of the picture: a square of 1,400 to 3,000 pixels, JPEG or PNG. */
  readonly image: string
  /** Category of Apple's directory, e.g. `Technology`, or a category and its subcategory, e.g. `['Arts', 'Books']`. */
  readonly category: string | readonly [category: string, subcategory: string]
  /** Whether the podcast is only for adults. @default false */
  readonly explicit?: boolean | undefined
  /** What the site knows of a narration. `undefined` leaves it out of the feed. */
  readonly episode: (narration: ListedNarration) => Episode | undefined
}

const category: OptionRule = (value) => {
  const [name, sub, ...more]: readonly unknown[] = [value].flat()
  const among = typeof name === 'string' && Object.hasOwn(CATEGORIES, name) ? CATEGORIES[name] : undefined
  if (among === undefined) {
    return typeof name === 'string' && name !== ''
      ? { fault: unknownName(name, Object.keys(CATEGORIES), 'category') }
      : "must be a category of Apple's directory, or a category and its subcategory, e.g. ['Arts', 'Books']"
  }
  if (sub === undefined) return undefined
  if (among.length === 0) return `must be '${String(name)}' alone: it has no subcategories`
  if (typeof sub !== 'string' || more.length > 0) return 'must be a category and one subcategory'
  return among.includes(sub) ? undefined : { fault: unknownName(sub, among, 'subcategory') }
}
const picture: OptionRule = (value) =>
  text(value) ??
  (/\.(?:jpe?g|png)$|^[^.]*$/i.test(
    String(value)
      .replace(/[?#].*$/s, '')
      .replace(/^.*\//s, ''),
  )
    ? undefined
    : { fault: 'must be the address of a JPEG or PNG, which directories require', value, isPublic: true })
const email: OptionRule = (value) =>
  typeof value === 'string' && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)
    ? undefined
    : 'must be an e-mail address, to which directories send a code'
const languageTag: OptionRule = (value) =>
  text(value) ?? (isLanguage(String(value)) ? undefined : 'must be a language, e.g. en or pt-BR')
const validDate: OptionRule = (value) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? undefined : 'must be a valid Date, by which players sort'

/** What Apple and Spotify require of a feed, and what else it may have. */
const RULES: Readonly<Record<keyof PodcastFeedOptions, OptionRule>> = {
  site: (value) =>
    URL.canParse(String(value)) ? undefined : 'must be an absolute address such as https://blog.example',
  title: text,
  description: text,
  language: languageTag,
  feedUrl: optional(text),
  author: text,
  email,
  image: picture,
  category,
  explicit: optional(flag),
  episode: callback,
}

const EPISODE_RULE = fields({
  link: optional(text),
  date: validDate,
  title: optional(text),
  description: optional(text),
  guid: optional(text),
  chapters: optional(text),
} satisfies Readonly<Record<keyof Episode, OptionRule>>)

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** A narration with its episode. */
interface Item {
  readonly narration: ListedNarration
  readonly episode: Episode
  readonly guid: string
}

/** The items of a feed, newest first. @throws TypeError for what directories refuse */
function itemsOf(narrations: readonly ListedNarration[], options: PodcastFeedOptions): readonly Item[] {
  const files = new Map<string, string>()
  const items = narrations.flatMap((narration): readonly Item[] => {
    if (narration.src === '') return []
    const { file, type } = narration
    const episode = options.episode(narration)
    if (episode === undefined) return []
    const wrong = describeFault('episode()', EPISODE_RULE, episode)
    if (wrong !== undefined) throw new TypeError(`podcastFeed(): ${file}: ${wrong}`)
    const guid = episode.guid ?? narration.guid
    if (guid === undefined) {
      throw new TypeError(
        `podcastFeed(): ${file} has no guid, which identifies the episode also after a rename. ` +
          `Add it to the front matter, e.g. guid: ${crypto.randomUUID()}`,
      )
    }
    const other = files.get(guid)
    if (other !== undefined) throw new TypeError(`podcastFeed(): ${other} and ${file} have the same guid: change one`)
    files.set(guid, file)
    if (!EPISODE_TYPES.includes(type)) {
      throw new TypeError(
        `podcastFeed(): the audio of ${file} is ${type}, and directories take MP3 and M4A. ` +
          "Set response_format: 'mp3', or leave the page out: episode() returns undefined",
      )
    }
    return [{ narration, episode, guid }]
  })
  return items.toSorted((a, b) => b.episode.date.getTime() - a.episode.date.getTime())
}

function categoryElement(chosen: PodcastFeedOptions['category']): string {
  const [name, sub] = [chosen].flat()
  const inner = sub === undefined ? undefined : element('itunes:category', { text: sub })
  return element('itunes:category', { text: name }, inner)
}

/**
 * A podcast feed (RSS 2.0) of narrations, newest first: with length, size, transcript and chapters. Pages without audio are
 * left out. It has what Apple and Spotify require.
 * @throws TypeError naming an option or a field of an episode that is missing, wrong or unknown; for an episode without a
 * `guid`, for two with the same, and for audio that directories refuse
 */
export function podcastFeed(narrations: readonly ListedNarration[], options: PodcastFeedOptions): string {
  const wrong = findOptionFault(options, RULES, 'podcastFeed()')
  if (wrong !== undefined) throw new TypeError(wrong.message)
  const { site, title, description, feedUrl, author, image, explicit = false } = options
  const channel = [
    textElement('title', title),
    textElement('link', absolute('', site)),
    textElement('description', description),
    textElement('language', options.language),
    feedUrl === undefined
      ? ''
      : element('atom:link', { href: absolute(feedUrl, site), rel: 'self', type: 'application/rss+xml' }),
    textElement('itunes:author', author),
    element('itunes:owner', {}, textElement('itunes:name', author) + textElement('itunes:email', options.email)),
    element('itunes:image', { href: absolute(image, site) }),
    categoryElement(options.category),
    textElement('itunes:explicit', String(explicit)),
    ...itemsOf(narrations, options).map((item) => itemElement(item, options)),
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

function itemElement({ narration, episode, guid }: Item, { site, language }: PodcastFeedOptions): string {
  const { src, type, bytes, durationSeconds, captions, file } = narration
  const title = episode.title ?? narration.title ?? file
  const chapters = chaptersOf(narration)
  const { link, date, description } = episode
  const parts = [
    textElement('title', title),
    textElement('link', link === undefined ? undefined : absolute(link, site)),
    textElement('description', description),
    element('guid', { isPermaLink: 'false' }, escapeXml(guid)),
    textElement('pubDate', date.toUTCString()),
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
