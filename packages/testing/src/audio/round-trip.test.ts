import { describe, expect, test } from 'vitest'
import { wordErrorRate } from './round-trip.ts'

describe('word error rate', () => {
  test.each([
    ['equal texts', 'the old clock', 'the old clock', 0],
    ['one of four words replaced', 'the old wall clock', 'the cold wall clock', 0.25],
    ['one of four words missing', 'the old wall clock', 'the old clock', 0.25],
    ['one word too many', 'the old wall clock', 'the old brick wall clock', 0.25],
    ['nothing heard', 'the old wall clock', '', 1],
    ['more heard than said', 'no', 'oh no not again', 3],
    ['nothing said and nothing heard', ' ', '', 0],
    ['something heard in nothing', '', 'oh', Infinity],
  ])('%s', (_name, said, heard, rate) => {
    expect(wordErrorRate(said, heard)).toBe(rate)
  })

  test('case, punctuation, hyphens and apostrophe shapes do not count', () => {
    expect(wordErrorRate('“Well-known”, she said: don’t!', "well known she said don't")).toBe(0)
  })

  test('an apostrophe inside a word counts, a quotation mark around a word does not', () => {
    expect(wordErrorRate("we'll go", 'well go')).toBe(0.5)
    expect(wordErrorRate("'go' now", 'go now')).toBe(0)
  })
})
