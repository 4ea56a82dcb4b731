import { describe, expect, test } from 'vitest'
import { compareTexts, numberWords } from './compare-texts.ts'

describe('words', () => {
  test.each([
    ['a curly apostrophe', 'it’s', "it's"],
    ['quotes around a word', '‘Hello,’ she said.', 'hello she said'],
    ['a dash', 'yes—no', 'yes no'],
    ['a full-width letter', 'ＡＢＣ', 'abc'],
    ['an emoji, which is not spoken', 'Hello 👋 you', 'hello you'],
    ['an umlaut of two characters', 'fu\u0308r', 'für'],
    ['letters of another alphabet', 'Привет!', 'привет'],
    ['a line break', 'one\n\n  two', 'one two'],
  ])('%s does not count as a difference', (_case, said, heard) => {
    expect(compareTexts(said, heard)).toMatchObject({ errors: 0, rate: 0 })
  })

  test('an apostrophe inside of a word counts', () => {
    expect(compareTexts("we're here", 'were here').errors).toBe(1)
  })

  test('words groups show the words as they were written', () => {
    expect(compareTexts('“Hello,” he said.', 'Hello; she said').groups).toEqual([
      { same: true, said: '“Hello,”', heard: 'Hello;' },
      { same: false, said: 'he', heard: 'she' },
      { same: true, said: 'said.', heard: 'said' },
    ])
  })

  test('a pause of any length is left out, and another bracket is not', () => {
    expect(compareTexts('One. [pause 10s] Two. [pause 0.25s]', 'one two').errors).toBe(0)
    expect(compareTexts('One [pause] two', 'one two').errors).toBe(1)
  })
})

describe('the rate', () => {
  test.each([
    ['is 1 when nothing was said and something was heard', '', 'a b c', 1],
    ['is 0 when nothing was said and nothing was heard', '…', ' - ', 0],
    ['can be more than 1', 'one', 'two three four', 3],
    ['is 1 when nothing was heard', 'one two', '', 1],
    ['counts a swap of two words as two errors', 'a b', 'b a', 1],
  ])('%s', (_case, said, heard, rate) => {
    expect(compareTexts(said, heard).rate).toBe(rate)
  })

  test('the rate is the same for a text and its mirror, apart from the number of words', () => {
    const [one, two] = ['the old clock on the wall', 'an old clock stood at the wall']
    expect(compareTexts(one, two).errors).toBe(compareTexts(two, one).errors)
  })

  test('the rate counts the words of a number, not its digits', () => {
    expect(compareTexts('at 7:45', 'at').words).toBe(4)
    expect(compareTexts('for $1,200', 'for').words).toBe(6)
  })
})

describe('a token with a number', () => {
  test.each([
    ['0th', 'zeroth'],
    ['11th', 'eleventh'],
    ['20TH', 'twentieth'],
    ['100th', 'one hundredth'],
    ['1000000', 'one million'],
    ['1,000,001', 'one million one'],
    ['110', 'one hundred ten'],
    ['0.5', 'zero point five'],
    ['1.05%', 'one point zero five percent'],
    ['€3.50', 'three point five zero euros'],
    ['£1', 'one pounds'],
    ['999999999999', /^nine hundred ninety-nine billion .* nine hundred ninety-nine$/],
    ['0:30', 'zero thirty'],
  ])('%s is spoken', (token, words) => {
    expect(numberWords(token)).toMatch(words instanceof RegExp ? words : new RegExp(`^${words}$`))
  })

  test.each(['1,23', '1.2.3', '7:4', '5x', 'x5', '1/2', '$', '%', '', '1,0000', '-5', '٣'])(
    '%j stays as it is',
    (token) => {
      expect(numberWords(token)).toBe(token)
    },
  )

  test.each(['12345678901234567891', '4000123412341234567', '1234567890123456789012345'])(
    'the long number %s is read digit by digit, to the last one',
    (token) => {
      const names = 'zero one two three four five six seven eight nine'.split(' ')
      const digits = Array.from(token, (digit) => names[Number(digit)]).join(' ')
      expect(numberWords(token)).toBe(digits)
    },
  )
})
