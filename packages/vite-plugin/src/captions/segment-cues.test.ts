import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Pause, Place } from '../join/joiner.ts'
import { alignPhrases } from './align-phrases.ts'
import { phrasesOf } from './phrases.ts'
import { segmentCues } from './segment-cues.ts'

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
    const place = { startSecond: 10, endSecond: 20, pauses: [pause(14.5, 15.2)] }
    expect(startsOf('Slow words here. Many more words are spoken quickly.', place)).toEqual([
      ['Slow words here.', 10],
      ['Many more words are spoken quickly.', 15.2],
    ])
  })

  test('a long pause belongs to the end of a sentence, a short one near it to a clause', () => {
    const place = { startSecond: 0, endSecond: 9, pauses: [pause(2.9, 3.1), pause(4.2, 5)] }
    expect(startsOf('The boat leaves at nine, in rain. It takes about an hour.', place)).toEqual([
      ['The boat leaves at nine,', 0],
      ['in rain.', 3.1],
      ['It takes about an hour.', 5],
    ])
  })

  test('pauses inside of words do not move a sentence far away', () => {
    const place = { startSecond: 0, endSecond: 10, pauses: [pause(0.5, 0.65), pause(9.2, 9.4)] }
    const [, [, second] = ['', 0]] = startsOf('Half of the text is in here. Half of the text is in here.', place)
    expect(second).toBeGreaterThan(4)
    expect(second).toBeLessThan(6)
  })

  test('a number and a symbol take the time of words', () => {
    const place = { startSecond: 0, endSecond: 10 }
    const [, [, second] = ['', 0]] = startsOf('The sum of a*b+c is 4711. The sum of them is not known.', place)
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
