import { describe, expect, test } from 'vitest'
import type { Pause, Place } from './audio/joiner.ts'
import { alignPhrases, captionsOf, phrasesOf, sectionsOf, segmentCues } from './captions.ts'
import type { ScriptSegment } from './script.ts'
import * as fc from 'fast-check'

const segment = (written: string, heading?: ScriptSegment['heading']): ScriptSegment =>
  heading === undefined ? { written, spoken: written } : { written, spoken: written, heading }
const placed = (startSecond: number, endSecond: number): { startSecond: number; endSecond: number } => ({
  startSecond,
  endSecond,
})

/** The cues of captions: identifier, time and text. */
function cuesOf(vtt: string): string[][] {
  const [head, ...blocks] = vtt.trim().split('\n\n')
  expect(head).toBe('WEBVTT')
  return blocks.map((block) => block.split('\n'))
}

describe('captions', () => {
  test('a short segment is one cue in its place, with the number of its segment', () => {
    expect(
      cuesOf(captionsOf([segment('One.'), segment('Two.')], [placed(0, 1.5), placed(3700, 3700.25)], 'en')),
    ).toEqual([
      ['1.1', '00:00:00.000 --> 00:00:01.500', 'One.'],
      ['2.1', '01:01:40.000 --> 01:01:40.250', 'Two.'],
    ])
  })

  test('a paragraph becomes cues that people can read', () => {
    const text =
      'The boat leaves at nine, and it takes about an hour. Tickets are sold on board; bring coins. ' +
      'The captain, who has sailed these waters for thirty years, tells about the harbour and its lighthouses on the way.'
    const made = cuesOf(captionsOf([segment(text)], [placed(2, 20)], 'en'))
    expect(made.map(([, , ...lines]) => lines)).toEqual([
      ['The boat leaves at nine,', 'and it takes about an hour.'],
      ['Tickets are sold on board; bring coins.'],
      ['The captain, who has sailed', 'these waters for thirty years,'],
      ['tells about the harbour and', 'its lighthouses on the way.'],
    ])
    expect(made.map(([id]) => id)).toEqual(['1.1', '1.2', '1.3', '1.4'])
  })

  test('line breaks and runs of white space are one space', () => {
    expect(cuesOf(captionsOf([segment('One\n\n two\tthree')], [placed(0, 1)], undefined))[0]?.[2]).toBe('One two three')
  })

  test('captions hold what is written, not what is spoken, with the signs of WebVTT escaped', () => {
    const vtt = captionsOf([{ written: 'a < b & c --> d', spoken: 'a is less than b' }], [placed(0, 1)], 'en')
    expect(vtt).toContain('a &lt; b &amp; c --&gt; d')
    expect(vtt).not.toContain('less than')
  })

  test('a segment without text has no cue', () => {
    expect(cuesOf(captionsOf([segment(''), segment('Two.')], [placed(0, 1), placed(1, 2)], 'en'))).toEqual([
      ['2.1', '00:00:01.000 --> 00:00:02.000', 'Two.'],
    ])
    expect(cuesOf(captionsOf([], [], 'en'))).toEqual([])
  })
})

describe('sections', () => {
  const top = { title: 'Top', level: 1, id: undefined }
  const deep = { title: 'Deep', level: 3, id: 'deep' }
  const segments = [segment('Before.'), segment('Top.', top), segment('Text.'), segment('Deep.', deep), segment('End.')]
  const places = [placed(0, 1), placed(1.5, 2), placed(2.5, 4), placed(4.5, 5), placed(5.5, 9)]

  test('a section lasts until the next heading of any level, and the last one to the end of the audio', () => {
    expect(sectionsOf(segments, places, 9.25)).toEqual([
      { ...top, startSecond: 1.5, endSecond: 4.5 },
      { ...deep, startSecond: 4.5, endSecond: 9.25 },
    ])
  })

  test('a page without headings has no sections', () => {
    expect(sectionsOf([segment('One.')], [placed(0, 1)], 1)).toEqual([])
  })
})

const pause = (startSecond: number, endSecond: number): Pause => ({ startSecond, endSecond })

/** The start of each phrase of a text. */
const startsOf = (text: string, place: Place): [string, number][] =>
  alignPhrases(phrasesOf(text, 'en'), place).map((phrase) => [phrase.text, Math.round(phrase.startSecond * 100) / 100])

describe('phrases', () => {
  test('a text is divided at sentences and clauses, not inside of numbers', () => {
    expect(phrasesOf('It costs 1,500 euros: a lot, I think. “Yes,” she said.', 'en').map(({ text }) => text)).toEqual([
      'It costs 1,500 euros:',
      'a lot,',
      'I think.',
      '“Yes,”',
      'she said.',
    ])
  })

  test('a text without white space is divided at its marks', () => {
    expect(phrasesOf('今日は、天気がいい。', 'ja').map(({ text }) => text)).toEqual(['今日は、', '天気がいい。'])
  })
})

describe('times', () => {
  test('sentences begin after the pauses between them, whatever their length', () => {
    // The first sentence is spoken slowly.
    const where = { startSecond: 10, endSecond: 20, pauses: [pause(14.5, 15.2)] }
    expect(startsOf('Slow words here. Many more words are spoken quickly.', where)).toEqual([
      ['Slow words here.', 10],
      ['Many more words are spoken quickly.', 15.2],
    ])
  })

  test('a long pause belongs to the end of a sentence, a short one near it to a clause', () => {
    const where = { startSecond: 0, endSecond: 9, pauses: [pause(2.9, 3.1), pause(4.2, 5)] }
    expect(startsOf('The boat leaves at nine, in rain. It takes about an hour.', where)).toEqual([
      ['The boat leaves at nine,', 0],
      ['in rain.', 3.1],
      ['It takes about an hour.', 5],
    ])
  })

  test('pauses inside of words do not move a sentence far away', () => {
    const where = { startSecond: 0, endSecond: 10, pauses: [pause(0.5, 0.65), pause(9.2, 9.4)] }
    const [, [, second] = ['', 0]] = startsOf('Half of the text is in here. Half of the text is in here.', where)
    expect(second).toBeGreaterThan(4)
    expect(second).toBeLessThan(6)
  })

  test('a number and a symbol take the time of words', () => {
    const where = { startSecond: 0, endSecond: 10 }
    const [, [, second] = ['', 0]] = startsOf('The sum of a*b+c is 4711. The sum of them is not known.', where)
    expect(second).toBeGreaterThan(5.5)
  })

  test.each([
    ['a full stop inside of a word, which is spoken', 'It is Nextxjs,', 'It is Next.js,'],
    ['a word without a vowel, which is spelled', 'Read the files,', 'Read the xmlns,'],
    ['a short word in capitals, which is spelled', 'Read the air,', 'Read the RAI,'],
  ])('%s takes more time than a word of its length', (_, plain, spoken) => {
    const end = (first: string): number => {
      const [phrase] = alignPhrases(phrasesOf(`${first} then go on.`, 'en'), { startSecond: 0, endSecond: 3 })
      return phrase?.endSecond ?? 0
    }
    expect(end(spoken)).toBeGreaterThan(end(plain) + 0.1)
  })

  test('a phrase too long for a cue is divided by what its words take to speak, not by their characters', () => {
    const text = 'the numbers 4071 5932 8164 2093 come first in this one and then there are only words to be heard'
    const [first, second] = segmentCues(text, { startSecond: 0, endSecond: 9 }, 'en')
    expect(first?.text.replaceAll('\n', ' ')).toMatch(/^the numbers.*first/)
    expect(second?.start).toBe(first?.end)
    const share = (first?.text.length ?? 0) / text.length
    expect(second?.start).toBeGreaterThan(9 * share + 0.3)
  })

  test('without pauses phrases share the time by their letters', () => {
    expect(startsOf('Four, four. Four, four.', { startSecond: 0, endSecond: 4 })).toEqual([
      ['Four,', 0],
      ['four.', 1],
      ['Four,', 2],
      ['four.', 3],
    ])
  })
})

const words = fc.array(fc.stringMatching(/^[a-z]{1,14}[,.;]?$/), { minLength: 1, maxLength: 120 })
const shares = fc.array(fc.double({ min: 0.01, max: 0.99, noNaN: true }), { maxLength: 30 })

test('no cue has over two lines of 42 characters or 7 seconds; cues are in order and hold the whole text', () => {
  fc.assert(
    fc.property(words, shares, fc.double({ min: 1, max: 120, noNaN: true }), (list, at, length) => {
      const text = list.join(' ')
      const pauses = at.toSorted((a, b) => a - b).map((share) => pause(share * length, share * length + 0.001))
      const cues = segmentCues(text, { startSecond: 5, endSecond: 5 + length, pauses }, 'en')
      expect(cues.map((cue) => cue.text.replaceAll('\n', ' ')).join(' ')).toBe(text)
      let last = 0
      for (const { start, end, text: shown } of cues) {
        const lines = shown.split('\n')
        expect(lines.length).toBeLessThanOrEqual(2)
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(42)
        expect(end - start).toBeLessThanOrEqual(7.0011)
        expect(start).toBeGreaterThanOrEqual(last - 0.0011)
        expect(end).toBeLessThanOrEqual(5 + length + 0.0511)
        last = end
      }
    }),
    { seed: 31, numRuns: 300 },
  )
})
