import { expect, test } from 'vitest'

import { toWords } from './words.ts'

test('sounds other than words are dropped', () => {
  const fillers = ['<s>', '<sil>', '</s>', '[NOISE]', '[SPEECH]', '++BREATH++']
  expect(
    toWords(
      fillers.map((word) => ({ word, start: 0, end: 9 })),
      0,
    ),
  ).toEqual([])
})

test('marks of further pronunciations are removed', () => {
  const words = ['the(2)', "o'clock", 'a(13)'].map((word) => ({ word, start: 0, end: 9 }))
  expect(toWords(words, 0).map(({ word }) => word)).toEqual(['the', "o'clock", 'a'])
})

test('times are seconds from the start of the whole audio, without rounding noise', () => {
  expect(toWords([{ word: 'so', start: 10, end: 29 }], 12.2)).toEqual([
    { word: 'so', startSecond: 12.3, endSecond: 12.5 },
  ])
})
