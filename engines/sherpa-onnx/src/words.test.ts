import { describe, expect, test } from 'vitest'
import { ownMarks, punctuatedWords, tokenWords } from './words.ts'

const timed = (...words: string[]) => words.map((word, index) => ({ word, startSecond: index, endSecond: index + 1 }))

test.each([
  [
    'the marks of Chinese become those of Latin letters behind them',
    'how are you？i am fine，thanks。',
    'how are you? i am fine, thanks.',
  ],
  ['Chinese keeps its marks', '我们都是木头人，不会说话。', '我们都是木头人，不会说话。'],
  ['a text of both has both', '我喜欢 apple，你呢？', '我喜欢 apple, 你呢？'],
  ['other marks stay', 'It is 3.5, isn’t it?', 'It is 3.5, isn’t it?'],
])('%s', (_, given, expected) => {
  expect(ownMarks(given)).toBe(expected)
})

test.each([
  ['marks belong to the word before them', ['how', 'are', 'you'], 'How are you?', ['How', 'are', 'you?']],
  ['letters of Chinese are words without spaces', ['我', '们', '好'], '我们，好。', ['我', '们，', '好。']],
  ['marks inside a word stay there', ["don't", 'go'], 'Don’t go!', ['Don’t', 'go!']],
  ['an opening mark belongs to the word behind it', ['ask', 'why', 'now'], 'Ask (why) now.', ['Ask', '(why)', 'now.']],
  ['no word gives none', [], '', []],
])('%s', (_, words, text, expected) => {
  expect(punctuatedWords(timed(...words), text).map(({ word }) => word)).toEqual(expected)
})

test.each([
  ['has another word', ['one', 'two'], 'One, three.'],
  ['has a word more', ['one'], 'One, two.'],
  ['has a word less', ['one', 'two'], 'One.'],
])('words stay as they are when the text %s', (_, words, text) => {
  expect(punctuatedWords(timed(...words), text)).toEqual(timed(...words))
})

test('the times of words stay', () => {
  expect(punctuatedWords(timed('one', 'two'), 'One, two.')[1]).toEqual({ word: 'two.', startSecond: 1, endSecond: 2 })
})

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
