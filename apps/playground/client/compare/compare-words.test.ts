import { wordErrorRate } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import { compareWords, sameWord } from './compare-words.ts'

function show(said: string, heard: string): string {
  return compareWords(said, heard)
    .map((word) => (sameWord(word) ? word.heard : `[${word.said ?? ''}>${word.heard ?? ''}]`))
    .join(' ')
}

test.each([
  ['case and punctuation do not count', 'The old, wall-clock!', 'the old wall clock', 'the old wall clock'],
  ['a wrong word', 'the wall clock', 'the cold clock', 'the [wall>cold] clock'],
  ['an extra word', 'the clock', 'the cold clock', 'the [>cold] clock'],
  ['a missing word', 'the old clock', 'the clock', 'the [old>] clock'],
  ['nothing heard', 'the clock', '', '[the>] [clock>]'],
  ['nothing said', '', 'clock', '[>clock]'],
])('%s', (_case, said, heard, expected) => {
  expect(show(said, heard)).toBe(expected)
})

test('the number of marks equals the errors of the word error rate', () => {
  const said = 'Then one day the clock began to move, and everyone stopped to listen.'
  const heard = 'than one day a clock began move and every one stopped to listen'
  const marks = compareWords(said, heard).filter((word) => !sameWord(word)).length
  expect(marks / 13).toBeCloseTo(wordErrorRate(said, heard))
})
