import type { SpeakableBlock } from '@svc-audio/text'
import { createLexicon } from '@svc-audio/text/sentences'
import { describe, expect, test } from 'vitest'
import { seeded } from '@svc-audio/kit/hosts/audio-files'
import type { SegmentBy } from '../options.ts'
import { type SegmentOptions, toSegments } from './segments.ts'

const heading = (text: string, more: Partial<SpeakableBlock> = {}): SpeakableBlock => ({
  kind: 'heading',
  level: 2,
  text,
  ...more,
})
const paragraph = (text: string): SpeakableBlock => ({ kind: 'paragraph', text })
const by = (segmentBy: SegmentBy): SegmentOptions => ({ segmentBy, lexicon: undefined, language: 'en' })
const PAGE = [
  paragraph('Before it.'),
  heading('Top.', { id: 'top' }),
  paragraph('One. Two!'),
  heading('Deep.', { level: 4 }),
  paragraph('Three?'),
]

test.each<[SegmentBy, string[]]>([
  ['sentence', ['Before it.', 'Top.', 'One.', 'Two!', 'Deep.', 'Three?']],
  ['paragraph', ['Before it.', 'Top.', 'One. Two!', 'Deep.', 'Three?']],
  ['section', ['Before it.', 'Top.\n\nOne. Two!', 'Deep.\n\nThree?']],
  ['page', ['Before it.\n\nTop.\n\nOne. Two!\n\nDeep.\n\nThree?']],
])('by %s, a page is divided into %o', (segmentBy, texts) => {
  expect(toSegments(PAGE, by(segmentBy)).map(({ spoken }) => spoken)).toEqual(texts)
  expect(toSegments([], by(segmentBy))).toEqual([])
})

describe('headings', () => {
  test.each(['sentence', 'paragraph'] as const)(
    'by %s, a heading has its level, id and title without a full stop',
    (segmentBy) => {
      const found = toSegments(PAGE, by(segmentBy)).flatMap((one) => one.heading ?? [])
      expect(found).toEqual([
        { level: 2, id: 'top', title: 'Top' },
        { level: 4, id: undefined, title: 'Deep' },
      ])
    },
  )

  test('a heading of several sentences begins with its first', () => {
    const segments = toSegments([heading('Why? Because it works.')], by('sentence'))
    expect(segments.map((one) => one.heading?.title)).toEqual(['Why?', undefined])
  })

  test('a heading without a level is one of level 1', () => {
    expect(toSegments([{ kind: 'heading', text: 'A' }], by('paragraph'))[0]?.heading?.level).toBe(1)
  })
})

describe('long text', () => {
  const long = Array.from({ length: 400 }, (_, index) => `Sentence number ${index}.`).join(' ')

  test.each(['paragraph', 'section'] as const)(
    'by %s, text above 4,000 characters is divided at ends of sentences',
    (segmentBy) => {
      const segments = toSegments([heading('Top'), paragraph(long)], by(segmentBy))
      expect(segments.length).toBeGreaterThan(2)
      for (const { spoken } of segments) expect(spoken.length).toBeLessThanOrEqual(4000)
      for (const { spoken } of segments.slice(1)) expect(spoken).toMatch(/^Sentence number \d+\..*\.$/s)
      expect(segments.filter((one) => one.heading !== undefined)).toHaveLength(1)
      expect(
        segments
          .map(({ spoken }) => spoken)
          .join(' ')
          .replace(/\s+/g, ' '),
      ).toBe(`Top ${long}`)
    },
  )

  test('by page, it is one segment', () => {
    expect(toSegments([paragraph(long)], by('page'))).toHaveLength(1)
  })
})

test('a lexicon changes what is spoken, and a pause is not written', () => {
  const lexicon = createLexicon({ '*': { nginx: 'engine x' } })
  const [first] = toSegments([paragraph('Run nginx. [pause 1s] Done.')], {
    segmentBy: 'paragraph',
    lexicon,
    language: 'en',
  })
  expect(first?.spoken).toBe('Run engine x. [pause 1s] Done.')
  expect(first?.written).not.toContain('pause')
  expect(first?.written).toContain('nginx')
})

describe('a pause alone', () => {
  const spoken = (...texts: string[]): string[] =>
    toSegments(texts.map(paragraph), by('paragraph')).map((one) => one.spoken)

  test.each([
    [
      ['A.', '[pause 1s]', 'B.'],
      ['A. [pause 1s]', 'B.'],
    ],
    [['[pause 1s]', 'A.'], ['[pause 1s] A.']],
    [['[pause 1s]', '[pause 2s]', 'A.'], ['[pause 1s] [pause 2s] A.']],
    [['A.', '[pause 1s]', '[pause 2s]'], ['A. [pause 1s] [pause 2s]']],
    [['[pause 1s]'], []],
  ])('%o joins a neighbour: %o', (texts, segments) => {
    expect(spoken(...texts)).toEqual(segments)
  })

  test('no segment is without text, and no pause is lost where there is text', () => {
    const below = seeded(21)
    for (let round = 0; round < 100; round += 1) {
      const texts = ['Text.', ...Array.from({ length: below(6) }, () => (below(2) === 0 ? 'Text.' : '[pause 1s]'))]
      const shuffled = texts.toSorted(() => below(3) - 1)
      const segments = toSegments(shuffled.map(paragraph), by('paragraph'))
      expect(segments.every((one) => one.written !== '')).toBe(true)
      const pauses = (all: readonly string[]): number => all.join(' ').split('[pause').length
      expect(pauses(segments.map((one) => one.spoken))).toBe(pauses(shuffled))
    }
  })
})

describe('lists', () => {
  const item = (text: string): SpeakableBlock => ({ kind: 'list-item', text })
  const LIST = [paragraph('Before.'), item('One.'), item('Two.'), paragraph('Between.'), item('Three.')]

  test('the items of a list are one segment each, or together', () => {
    const spoken = (options: Partial<SegmentOptions>): string[] =>
      toSegments(LIST, { ...by('paragraph'), ...options }).map((one) => one.spoken)
    expect(spoken({})).toEqual(['Before.', 'One.', 'Two.', 'Between.', 'Three.'])
    expect(spoken({ lists: 'together' })).toEqual(['Before.', 'One.\n\nTwo.', 'Between.', 'Three.'])
    expect(spoken({ lists: 'together', segmentBy: 'sentence' })).toHaveLength(5)
  })
})

describe('spans of another language', () => {
  const GERMAN = { voice_id: 'anna', language: 'de', hint: 'de' }
  const options = (segmentBy: SegmentBy): SegmentOptions => ({
    ...by(segmentBy),
    lexicon: createLexicon({ en: { Tag: 'dag' }, de: { Tag: 'Taag' } }),
    voiceOf: (language) => (language === 'de' ? GERMAN : undefined),
  })
  const MIXED: SpeakableBlock = {
    kind: 'paragraph',
    text: 'He said Guten Tag. And bonjour, then Tag.',
    spans: [
      { text: 'He said' },
      { text: ' Guten Tag', language: 'de' },
      { text: '. And' },
      { text: ' bonjour', language: 'fr' },
      { text: ', then Tag.' },
    ],
  }

  test('are segments with the voice and the terms of their language, which continue the paragraph', () => {
    expect(toSegments([MIXED], options('paragraph'))).toEqual([
      { written: 'He said', spoken: 'He said' },
      { written: 'Guten Tag', spoken: 'Guten Taag', voice: { voice_id: 'anna', language: 'de' }, continues: true },
      { written: '. And bonjour, then Tag.', spoken: '. And bonjour, then dag.', continues: true },
    ])
  })

  test('a mark behind a span belongs to it, and a block of one span is one segment', () => {
    const block: SpeakableBlock = {
      kind: 'heading',
      level: 2,
      text: 'Hallo Welt.',
      spans: [{ text: 'Hallo Welt', language: 'de' }, { text: '.' }],
    }
    expect(toSegments([block], options('paragraph'))).toEqual([
      {
        written: 'Hallo Welt.',
        spoken: 'Hallo Welt.',
        voice: { voice_id: 'anna', language: 'de' },
        heading: { level: 2, id: undefined, title: 'Hallo Welt' },
      },
    ])
  })

  test('a page in one call has a call for each voice', () => {
    const segments = toSegments([paragraph('One.'), MIXED, paragraph('Last.')], options('page'))
    expect(segments.map((one) => one.written)).toEqual(
      ['One. He said', 'Guten Tag', '. And bonjour, then Tag.\n\nLast.'].map((text) =>
        text.replace('One. ', 'One.\n\n'),
      ),
    )
  })
})
