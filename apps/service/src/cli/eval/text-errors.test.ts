import { expect, test } from 'vitest'
import { sumErrors, textErrors } from './text-errors.ts'

test.each<[string, string, number, number]>([
  ['The train leaves at seven.', 'the train leaves at seven', 0, 5],
  ['The train leaves at seven.', 'a train at seven o clock', 4, 5],
  ['One, two — three!', '', 3, 3],
  ['', 'one two', 2, 0],
  ['Don’t stop', "don't 'stop'", 0, 2],
  ['Zug fährt um 7 Uhr', 'zug fahrt um 7 uhr', 1, 5],
])('%j heard as %j has %d wrong words of %d', (transcript, heard, wordErrors, words) => {
  expect(textErrors(transcript, heard)).toMatchObject({ wordErrors, words })
})

test('characters are counted without spaces', () => {
  expect(textErrors('火车七点出发。', '火车 七天出发')).toEqual({
    wordErrors: 2,
    words: 1,
    characterErrors: 1,
    characters: 6,
  })
})

test('the errors of several recordings are added', () => {
  const one = { wordErrors: 1, words: 2, characterErrors: 3, characters: 4 }
  expect(sumErrors([one, one])).toEqual({ wordErrors: 2, words: 4, characterErrors: 6, characters: 8 })
  expect(sumErrors([])).toEqual({ wordErrors: 0, words: 0, characterErrors: 0, characters: 0 })
})
