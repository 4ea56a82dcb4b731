import { wordErrorRate } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import { compareWords, sameWord } from './compare-words.ts'

function show(said: string, heard: string): string {
  return compareWords(said, heard)
    .map((word) => (sameWord(word) ? word.heard : `[${word.said ?? ''}>${word.heard ?? ''}]`))
    .join(' ')
}

test.each([
  ['the same but for case and punctuation', 'The old, wall-clock!', 'the old wall clock', 'the old wall clock'],
  ['another word', 'the wall clock', 'the cold clock', 'the [wall>cold] clock'],
  ['a word too many', 'the clock', 'the cold clock', 'the [>cold] clock'],
  ['a word too few', 'the old clock', 'the clock', 'the [old>] clock'],
  ['nothing heard', 'the clock', '', '[the>] [clock>]'],
  ['nothing said', '', 'clock', '[>clock]'],
])('%s', (_case, said, heard, expected) => {
  expect(show(said, heard)).toBe(expected)
})

test('the marks are as many as the word error rate counts', () => {
  const said = 'Then one day the clock began to move, and everyone stopped to listen.'
  const heard = 'than one day a clock began move and every one stopped to listen'
  const marks = compareWords(said, heard).filter((word) => !sameWord(word)).length
  expect(marks / 13).toBeCloseTo(wordErrorRate(said, heard))
})
