import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { wordErrorRate } from './word-error-rate.ts'

const words = fc.array(fc.constantFrom<string[]>('a', 'b', 'c', 'the', "it's"), { minLength: 1, maxLength: 12 })

describe('wordErrorRate', () => {
  test.each([
    ['the same', 'the same', 0],
    ['Twenty-one, please!', 'twenty one please', 0],
    ["It's five o’clock.", "it's five o'clock", 0],
    ["the 'quoted' word", 'the quoted word', 0],
    ['one two three four', 'one too three four', 0.25],
    ['one two three four', 'one three four', 0.25],
    ['one two three four', 'one and two three four', 0.25],
    ['one two', '', 1],
    ['one', 'a b c', 3],
    ['', '', 0],
    ['...', 'word', Infinity],
  ])('of %j heard as %j is %d', (reference, hypothesis, rate) => {
    expect(wordErrorRate(reference, hypothesis)).toBe(rate)
  })

  test('one wrong word counts once, wherever it is', () => {
    fc.assert(
      fc.property(words, fc.nat(), (said, position) => {
        const heard = said.with(position % said.length, 'wrong')
        expect(wordErrorRate(said.join(' '), heard.join(' '))).toBe(1 / said.length)
      }),
    )
  })

  test('is at most the number of words that the longer has', () => {
    fc.assert(
      fc.property(words, words, (said, heard) => {
        const most = Math.max(said.length, heard.length) / said.length
        expect(wordErrorRate(said.join(' '), heard.join(' '))).toBeLessThanOrEqual(most)
      }),
    )
  })
})
