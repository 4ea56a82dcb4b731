import { describe, expect, test } from 'vitest'
import { tokenWords } from './token-words.ts'

const heard = (tokens: string[], timestamps: number[]) => ({ text: '', tokens, timestamps, lang: '' })

describe('tokenWords', () => {
  test('tokens of a word are joined, and a word ends with the next one or soon after its last token', () => {
    const tokens = ['\u2581The', '\u2581tr', 'ain', '.', '\u2581Now']
    expect(tokenWords(heard(tokens, [0.1, 0.4, 0.6, 0.7, 3]), 10, 13.2)).toEqual([
      { word: 'The', startSecond: 10.1, endSecond: 10.4 },
      { word: 'train.', startSecond: 10.4, endSecond: 11.2 },
      { word: 'Now', startSecond: 13, endSecond: 13.2 },
    ])
  })

  test('a space of its own begins a word', () => {
    expect(tokenWords(heard(['\u2581', 'a', '\u2581', 'b'], [0, 1, 2, 3]), 0, 9).map(({ word }) => word)).toEqual([
      'a',
      'b',
    ])
  })

  test('each sign of a language without spaces is a word, and marks are none', () => {
    expect(tokenWords(heard(['<|zh|>', '世', '界', 'ok'], [0, 1, 2, 3]), 0, 9).map(({ word }) => word)).toEqual([
      '世',
      '界ok',
    ])
  })

  test('an utterance without tokens has no words', () => {
    expect(tokenWords(heard([], []), 0, 1)).toEqual([])
  })
})
