import { wordErrorRate } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { compareTexts } from './compare-texts.ts'

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
