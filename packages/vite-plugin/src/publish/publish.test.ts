import { XMLValidator } from 'fast-xml-parser'
import { parseRssFeed } from 'feedsmith'
import { Parser } from 'htmlparser2'
import { FeedType, parseFeed } from 'podcast-partytime'
import { describe, expect, test } from 'vitest'
import type { ListedNarration } from '../narration.ts'
import {
  audioObject,
  openGraphAudio,
  podcastChapters,
  podcastFeed,
  type PodcastFeedOptions,
  sitemapEntries,
  sitemapXml,
  toJsonLd,
} from './index.ts'

const SITE = 'https://blog.example'

function post(more: Partial<ListedNarration> = {}): ListedNarration {
  return {
    file: 'posts/harbour.md',
    src: '/docs/assets/harbour-1.mp3',
    type: 'audio/mpeg',
    durationSeconds: 65.4,
    bytes: 523_000,
    characters: 900,
    title: 'The harbour & <boats>',
    language: 'en',
    guid: 'harbour-1',
    captions: '/docs/assets/harbour-1.vtt',
    sections: [
      { title: 'The harbour', level: 1, id: 'a', startSecond: 0, endSecond: 12.3456 },
      { title: 'Fares "today"', level: 2, id: 'b', startSecond: 12.3456, endSecond: 60 },
      { title: 'Detail', level: 3, id: 'c', startSecond: 60, endSecond: 65.4 },
    ],
    ...more,
  }
}

const SILENT = post({ file: 'posts/skipped.md', src: '', captions: '', durationSeconds: undefined, bytes: undefined })
const DEV = post({
  file: 'posts/dev.md',
  guid: 'dev-1',
  captions: '',
  durationSeconds: undefined,
  bytes: undefined,
  sections: [],
})

describe('JSON-LD', () => {
  test('names the audio, its length, size, language and captions with absolute addresses', () => {
    expect(audioObject(post(), { site: SITE, date: new Date(0), transcript: 'Said.' })).toEqual({
      '@context': 'https://schema.org',
      '@type': 'AudioObject',
      name: 'The harbour & <boats>',
      contentUrl: 'https://blog.example/docs/assets/harbour-1.mp3',
      encodingFormat: 'audio/mpeg',
      duration: 'PT1M5S',
      contentSize: '523000',
      inLanguage: 'en',
      transcript: 'Said.',
      uploadDate: '1970-01-01T00:00:00.000Z',
      caption: {
        '@type': 'MediaObject',
        contentUrl: 'https://blog.example/docs/assets/harbour-1.vtt',
        encodingFormat: 'text/vtt',
      },
    })
  })

  test('leaves out what is not known, and a page without audio has none', () => {
    const object = audioObject(post({ ...DEV, title: undefined, language: undefined }), { site: SITE })
    expect(Object.keys(object ?? {})).toEqual(['@context', '@type', 'contentUrl', 'encodingFormat'])
    expect(audioObject(SILENT, { site: SITE })).toBeUndefined()
  })

  test.each([
    [4.4, 'PT4S'],
    [60, 'PT1M0S'],
    [3605, 'PT1H0M5S'],
  ])('a length of %d seconds is %s', (durationSeconds, duration) => {
    expect(audioObject(post({ durationSeconds }), { site: SITE })?.duration).toBe(duration)
  })

  test('no title ends the script element', () => {
    const json = toJsonLd(audioObject(post({ title: '</script><b>' }), { site: SITE }))
    expect(json).not.toContain('<')
    expect(JSON.parse(json)).toMatchObject({ name: '</script><b>' })
    expect(toJsonLd(undefined)).toBe('')
  })

  test('a site that is no address is named', () => {
    expect(() => audioObject(post(), { site: 'blog.example' })).toThrow('site must be an absolute address')
  })
})

test('Open Graph has the address, the secure one where it is secure, and the type', () => {
  const names = (site: string): string[] => openGraphAudio(post(), { site }).map(({ property }) => property)
  expect(openGraphAudio(post(), { site: SITE })[0]?.content).toBe('https://blog.example/docs/assets/harbour-1.mp3')
  expect(names(SITE)).toEqual(['og:audio', 'og:audio:secure_url', 'og:audio:type'])
  expect(names('http://blog.example')).toEqual(['og:audio', 'og:audio:type'])
  expect(openGraphAudio(SILENT, { site: SITE })).toEqual([])
})

test('chapters are the headings of levels 1 and 2, to the millisecond', () => {
  expect(podcastChapters(post())).toEqual({
    version: '1.2.0',
    chapters: [
      { startTime: 0, title: 'The harbour' },
      { startTime: 12.346, title: 'Fares "today"' },
    ],
  })
})

describe('podcast feed', () => {
  const dates: Readonly<Record<string, string>> = { 'posts/harbour.md': '2026-01-02', 'posts/dev.md': '2026-03-04' }
  const OPTIONS: PodcastFeedOptions = {
    site: SITE,
    title: 'A blog & its voice',
    description: 'Read aloud.',
    language: 'en',
    feedUrl: '/podcast.xml',
    author: 'Ann',
    email: 'ann@blog.example',
    image: '/cover.png',
    category: ['Society & Culture', 'Places & Travel'],
    episode: ({ file }) => ({ date: new Date(`${dates[file]}T10:00:00Z`) }),
  }
  const feed = podcastFeed([post(), SILENT, DEV], {
    ...OPTIONS,
    episode: ({ file }) => ({
      link: `/${file.replace('.md', '')}`,
      date: new Date(`${dates[file]}T10:00:00Z`),
      description: 'A <b>day</b>\u0000 at sea',
      chapters: '/chapters.json',
    }),
  })

  test('is well-formed: each tag is closed in its order, and it has one root', () => {
    expect(tree(feed)).toBeDefined()
    expect(() => tree(feed.replace('</item>', ''))).toThrow('closes')
  })

  test('has the elements that RSS 2.0 and the directories require of a channel', () => {
    const [rss] = tree(feed).children
    const [channel] = rss?.children ?? []
    expect(rss?.attributes).toMatchObject({ version: '2.0', 'xmlns:itunes': expect.stringMatching(/dtds/) })
    const text = Object.fromEntries((channel?.children ?? []).map((one) => [one.name, one.text]))
    expect(text).toMatchObject({
      title: 'A blog & its voice',
      link: 'https://blog.example/',
      description: 'Read aloud.',
      language: 'en',
      'itunes:author': 'Ann',
      'itunes:explicit': 'false',
    })
    const named = (name: string): unknown => channel?.children.find((one) => one.name === name)?.attributes
    expect(named('itunes:image')).toEqual({ href: 'https://blog.example/cover.png' })
    expect(named('itunes:category')).toEqual({ text: 'Society & Culture' })
    expect(channel && all(channel, 'itunes:category').map(({ attributes }) => attributes['text'])).toEqual([
      'Society & Culture',
      'Places & Travel',
    ])
    expect(channel && all(channel, 'itunes:email')[0]?.text).toBe('ann@blog.example')
    expect(named('atom:link')).toMatchObject({ href: 'https://blog.example/podcast.xml', rel: 'self' })
  })

  test('has an item for each page with audio, newest first, with size, length, transcript and chapters', () => {
    const items = all(tree(feed), 'item')
    expect(items.map((item) => all(item, 'guid')[0]?.text)).toEqual(['dev-1', 'harbour-1'])
    const [dev, harbour] = items
    expect(Object.fromEntries((harbour?.children ?? []).map((one) => [one.name, one.text]))).toMatchObject({
      title: 'The harbour & <boats>',
      link: 'https://blog.example/posts/harbour',
      description: 'A <b>day</b> at sea',
      pubDate: 'Fri, 02 Jan 2026 10:00:00 GMT',
      'itunes:duration': '65',
    })
    const attributes = (item: Tag | undefined, name: string): unknown => item && all(item, name)[0]?.attributes
    expect(attributes(harbour, 'enclosure')).toEqual({
      url: 'https://blog.example/docs/assets/harbour-1.mp3',
      length: '523000',
      type: 'audio/mpeg',
    })
    expect(attributes(harbour, 'podcast:transcript')).toMatchObject({
      url: 'https://blog.example/docs/assets/harbour-1.vtt',
      type: 'text/vtt',
    })
    expect(attributes(harbour, 'podcast:chapters')).toMatchObject({ url: 'https://blog.example/chapters.json' })
    expect(harbour && all(harbour, 'psc:chapter').map((one) => one.attributes)).toEqual([
      { start: '0:00:00.000', title: 'The harbour' },
      { start: '0:00:12.346', title: 'Fares "today"' },
    ])
    // The dev server knows no size yet.
    expect(attributes(dev, 'enclosure')).toMatchObject({ length: '0' })
    expect(dev && all(dev, 'podcast:transcript')).toEqual([])
  })

  test('is read as a podcast by the parser of the Podcast Index, with all that it holds', () => {
    const read = parseFeed(feed)
    expect(read).toMatchObject({
      type: FeedType.RSS,
      title: 'A blog & its voice',
      link: 'https://blog.example/',
      language: 'en',
      author: 'Ann',
      explicit: false,
      itunesImage: 'https://blog.example/cover.png',
    })
    expect(read?.items).toHaveLength(2)
    expect(read?.items[1]).toMatchObject({
      title: 'The harbour & <boats>',
      guid: 'harbour-1',
      pubDate: new Date('2026-01-02T10:00:00Z'),
      duration: 65,
      enclosure: { url: 'https://blog.example/docs/assets/harbour-1.mp3', length: 523_000, type: 'audio/mpeg' },
      podcastTranscripts: [{ url: 'https://blog.example/docs/assets/harbour-1.vtt', type: 'text/vtt', language: 'en' }],
      podcastChapters: { url: 'https://blog.example/chapters.json', type: 'application/json+chapters' },
    })
  })

  test('is valid XML, and has each field that Apple and Spotify require, as a second parser reads it', () => {
    expect(XMLValidator.validate(feed)).toBe(true)
    const read = parseRssFeed(feed)
    expect(read).toMatchObject({
      title: 'A blog & its voice',
      link: 'https://blog.example/',
      description: 'Read aloud.',
      language: 'en',
      itunes: {
        author: 'Ann',
        owner: { name: 'Ann', email: 'ann@blog.example' },
        image: 'https://blog.example/cover.png',
        categories: [{ text: 'Society & Culture', categories: [{ text: 'Places & Travel' }] }],
        explicit: false,
      },
    })
    for (const item of read.items ?? []) {
      expect(item).toMatchObject({
        title: expect.any(String),
        guid: { value: expect.any(String), isPermaLink: false },
        pubDate: expect.stringMatching(/GMT$/),
        enclosures: [{ type: 'audio/mpeg', url: expect.stringMatching(/^https:/) }],
      })
    }
    expect(read.items).toHaveLength(2)
  })

  test('an episode whose file is renamed keeps its guid', () => {
    const guids = (one: ListedNarration): string[] => {
      const episode = (): { date: Date } => ({ date: new Date(0) })
      return all(tree(podcastFeed([one], { ...OPTIONS, episode })), 'guid').map(({ text }) => text)
    }
    expect(guids(post({ file: 'posts/quay.md', src: '/quay-2.mp3' }))).toEqual(guids(post()))
  })

  test('leaves out what the site does not want', () => {
    expect(all(tree(podcastFeed([post(), DEV], { ...OPTIONS, episode: () => undefined })), 'item')).toEqual([])
  })

  const wrong = (more: object): PodcastFeedOptions => ({ ...OPTIONS, ...more })
  test.each([
    [{ image: undefined }, '`image` must be a non-empty string, got undefined'],
    [
      { image: '/cover.webp' },
      "`image` must be the address of a JPEG or PNG, which directories require, got '/cover.webp'",
    ],
    [{ author: '' }, '`author` must be a non-empty string, got an empty string'],
    [{ email: 'ann' }, '`email` must be an e-mail address'],
    [{ language: 'english please' }, '`language` must be a language, e.g. en or pt-BR'],
    [{ category: undefined }, "`category` must be a category of Apple's directory"],
    [{ category: 'Technologie' }, '`category`: Unknown category `Technologie`; did you mean `Technology`?'],
    [{ category: ['Arts', 'Book'] }, '`category`: Unknown subcategory `Book`; did you mean `Books`?'],
    [{ category: ['Technology', 'AI'] }, "`category` must be 'Technology' alone: it has no subcategories"],
    [{ copyright: 'me' }, 'Unknown option `copyright`: use `site`'],
    [{ site: 'blog.example' }, '`site` must be an absolute address such as https://blog.example'],
    [{ episode: undefined }, '`episode` must be a function, got undefined'],
    [{ episode: () => ({}) }, 'posts/harbour.md: `episode().date` must be a valid Date'],
    [{ episode: () => ({ date: new Date(0), titles: 'x' }) }, 'Unknown field `titles`; did you mean `title`?'],
    [{ episode: () => ({ date: new Date(0), guid: 'same' }) }, 'posts/harbour.md and posts/dev.md have the same guid'],
  ])('the options %o are refused: %s', (more, message) => {
    expect(() => podcastFeed([post(), DEV], wrong(more))).toThrow(message)
  })

  test.each([
    [{ guid: undefined }, /posts\/harbour\.md has no guid.* Add it to the front matter, e\.g\. guid: [\da-f-]{36}$/],
    [{ type: 'audio/ogg' }, /the audio of posts\/harbour\.md is audio\/ogg, and directories take MP3 and M4A/],
  ])('a page with %o is refused', (more, message) => {
    expect(() => podcastFeed([post(more)], OPTIONS)).toThrow(message)
  })
})

test('a sitemap has the page and its audio, with the date of the page', () => {
  const date = new Date('2026-01-02T10:00:00Z')
  const entries = sitemapEntries([post(), SILENT, DEV], {
    site: SITE,
    page: ({ file }) => (file === 'posts/dev.md' ? undefined : { link: '/harbour?a=1&b=2', date }),
  })
  expect(entries).toEqual([
    { loc: 'https://blog.example/harbour?a=1&b=2', lastmod: date },
    { loc: 'https://blog.example/docs/assets/harbour-1.mp3', lastmod: date },
  ])
  const root = tree(`<urlset>${sitemapXml([...entries, { loc: `${SITE}/x` }])}</urlset>`)
  expect(all(root, 'loc').map(({ text }) => text)).toContain('https://blog.example/harbour?a=1&b=2')
  expect(all(root, 'lastmod')).toHaveLength(2)
})

interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Tag[]
  text: string
}

/** Parses XML, and refuses tags that are not closed in their order. */
function tree(xml: string): Tag {
  const root: Tag = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const tag: Tag = { name, attributes, children: [], text: '' }
        open.at(-1)?.children.push(tag)
        open.push(tag)
      },
      ontext(text) {
        const last = open.at(-1)
        if (last !== undefined) last.text += text
      },
      onclosetag(name, isImplied) {
        const closed = open.pop()
        const isEmpty = closed?.children.length === 0 && closed.text === ''
        if (closed?.name !== name || (isImplied && !isEmpty)) throw new Error(`${name} closes ${closed?.name}`)
      },
    },
    { xmlMode: true },
  )
  parser.write(xml)
  parser.end()
  expect(root.children).toHaveLength(1)
  return root
}

function all(tag: Tag, name: string): Tag[] {
  return tag.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)])
}
