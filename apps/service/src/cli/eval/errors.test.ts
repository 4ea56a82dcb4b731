import { describe, expect, test } from 'vitest'
import { diarizationErrors, readRttm, sumErrors, textErrors, type Turn } from './errors.ts'

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

const turn = (speaker: string, startSecond: number, endSecond: number): Turn => ({ speaker, startSecond, endSecond })

describe('diarizationErrors', () => {
  const reference = [turn('ann', 0, 4), turn('bob', 4, 10)]

  test.each<[string, Turn[], number]>([
    ['other names of the same speakers', [turn('S02', 0, 4), turn('S01', 4, 10)], 0],
    ['missed speech', [turn('S01', 0, 4)], 6],
    ['invented speech', [...reference, turn('bob', 10, 12)], 2],
    ['one speaker for all', [turn('S01', 0, 10)], 4],
    ['a speaker too many', [turn('S01', 0, 4), turn('S02', 4, 7), turn('S03', 7, 10)], 3],
    ['nothing', [], 10],
  ])('%s', (_, found, errorSeconds) => {
    expect(diarizationErrors(reference, found)).toEqual({ errorSeconds, speechSeconds: 10 })
  })

  test('names are matched for the fewest errors of all, not for the longest shared speech of one', () => {
    const right = [turn('a', 0, 6), turn('a', 6, 11), turn('b', 11, 16)]
    // x shares 6 s with a and 5 s with b; y shares 5 s with a: x is b, and y is a, or x is a alone.
    const found = [turn('x', 0, 6), turn('y', 6, 11), turn('x', 11, 16)]
    expect(diarizationErrors(right, found)).toEqual({ errorSeconds: 6, speechSeconds: 16 })
  })

  test('speech of two speakers at the same time counts twice', () => {
    const both = [turn('a', 0, 2), turn('b', 0, 2)]
    expect(diarizationErrors(both, [turn('x', 0, 2)])).toEqual({ errorSeconds: 2, speechSeconds: 4 })
  })

  test('a reference of too many speakers is refused', () => {
    const many = Array.from({ length: 17 }, (_, index) => turn(String(index), index, index + 1))
    expect(() => diarizationErrors(many, [])).toThrow(RangeError)
  })
})

describe('readRttm', () => {
  test('turns are read, and other lines are ignored', () => {
    const text = ';; a comment\nSPEAKER a 1 0.5 1.25 <NA> <NA> ann <NA> <NA>\nSPKR-INFO a 1 <NA>\n'
    expect(readRttm(text)).toEqual([turn('ann', 0.5, 1.75)])
  })

  test('a wrong line is named', () => {
    expect(() => readRttm('SPEAKER a 1 0 1 <NA> <NA> x\nSPEAKER a 1 zero 1 <NA> <NA> x')).toThrow('line 2 must be')
  })
})
