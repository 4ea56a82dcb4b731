import { wordErrorRate } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { compareTexts, numberWords } from './comparison.tsx'

function show(said: string, heard: string): string {
  return compareTexts(said, heard)
    .groups.map((group) => (group.same ? group.heard : `[${group.said}>${group.heard}]`))
    .join(' ')
}

test.each([
  ['case and punctuation do not count', 'The old, wall-clock!', 'the old wall clock', 'the old wall clock'],
  ['a wrong word', 'the wall clock', 'the cold clock', 'the [wall>cold] clock'],
  [
    'wrong words side by side are one group',
    'the old wall clock',
    'the cold hall clock',
    'the [old wall>cold hall] clock',
  ],
  ['an extra word', 'the clock', 'the cold clock', 'the [>cold] clock'],
  ['a missing word', 'the old clock', 'the clock', 'the [old>] clock'],
  ['nothing heard', 'the clock', '', '[the clock>]'],
  ['nothing said', '', 'clock', '[>clock]'],
  ['nothing at all', '', '', ''],
])('%s', (_case, said, heard, expected) => {
  expect(show(said, heard)).toBe(expected)
})

describe('numbers', () => {
  test.each([
    ['a time', 'It leaves at 7:45.', 'it leaves at seven forty-five', 'it leaves at seven forty-five'],
    ['a count', 'I bought 21 books', 'i bought twenty one books', 'i bought twenty one books'],
    ['written by the recognizer', 'on the second floor', 'on the 2nd floor', 'on the 2nd floor'],
    ['a price', 'for $5', 'for five dollars', 'for five dollars'],
  ])('%s is heard right', (_case, said, heard, expected) => {
    expect(show(said, heard)).toBe(expected)
    expect(compareTexts(said, heard).rate).toBe(0)
  })

  test('a number that is heard half right is one group', () => {
    expect(show('at 7:45 sharp', 'at seven forty nine sharp')).toBe('at [7:45>seven forty nine] sharp')
    expect(compareTexts('at 7:45 sharp', 'at seven forty nine sharp')).toMatchObject({ errors: 1, words: 5 })
  })
})

test('pause markers are not spoken', () => {
  expect(show('One. [pause 0.5s] Two.', 'one two')).toBe('one two')
})

test('without numbers the rate equals the word error rate of the tests', () => {
  const said = 'Then one day the clock began to move, and everyone stopped to listen.'
  const heard = 'than one day a clock began move and every one stopped to listen'
  const { rate, errors, words } = compareTexts(said, heard)
  expect(rate).toBeCloseTo(wordErrorRate(said, heard))
  expect([errors, words]).toEqual([5, 13])
})

test('texts of thousands of words are compared', () => {
  const said = 'the old clock on the wall '.repeat(400)
  expect(compareTexts(said, said.replace('old', 'cold')).errors).toBe(1)
})

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

test.each([
  ['7:45', 'seven forty-five'],
  ['7:05', 'seven oh five'],
  ['9:00', 'nine'],
  ['0', 'zero'],
  ['19', 'nineteen'],
  ['40', 'forty'],
  ['101', 'one hundred one'],
  ['1,234', 'one thousand two hundred thirty-four'],
  ['2026', 'two thousand twenty-six'],
  ['3000000', 'three million'],
  ['3.14', 'three point one four'],
  ['3.05', 'three point zero five'],
  ['5%', 'five percent'],
  ['$20', 'twenty dollars'],
  ['1st', 'first'],
  ['22nd', 'twenty-second'],
  ['30th', 'thirtieth'],
  ['12th', 'twelfth'],
  ['9999999999999', 'nine nine nine nine nine nine nine nine nine nine nine nine nine'],
  ['clock', 'clock'],
  ['B2B', 'B2B'],
  ['12:3', '12:3'],
])('%s is %s', (token, words) => {
  expect(numberWords(token)).toBe(words)
})
