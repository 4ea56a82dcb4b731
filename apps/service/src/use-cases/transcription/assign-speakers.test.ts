import { describe, expect, test } from 'vitest'

import { assignSpeakers, labelSegments } from './assign-speakers.ts'

const word = (text: string, startSecond: number, endSecond: number) => ({ word: text, startSecond, endSecond })
const speech = (speaker: string, startSecond: number, endSecond: number) => ({ speaker, startSecond, endSecond })

describe('words become segments', () => {
  test('one for each stretch of speech, from its first to its last word', () => {
    const words = [word('good', 0.2, 0.5), word('morning', 0.5, 1), word('hello', 2.1, 2.6)]
    expect(assignSpeakers(words, [speech('S01', 0.1, 1.2), speech('S02', 2, 2.8)])).toEqual([
      { type: 'transcript.text.segment', id: 'seg_1', start: 0.2, end: 1, text: 'good morning', speaker: 'S01' },
      { type: 'transcript.text.segment', id: 'seg_2', start: 2.1, end: 2.6, text: 'hello', speaker: 'S02' },
    ])
  })

  test('a speaker who continues after a pause has two', () => {
    const words = [word('one', 0, 1), word('two', 3, 4)]
    const segments = assignSpeakers(words, [speech('S01', 0, 1), speech('S01', 3, 4)])
    expect(segments.map(({ speaker, text }) => [speaker, text])).toEqual([
      ['S01', 'one'],
      ['S01', 'two'],
    ])
  })

  test('ids are unique, and a returning speaker has the same label', () => {
    const words = [0, 1, 2, 3].map((second) => word(`w${second}`, second, second + 0.9))
    const turns = ['S01', 'S02', 'S01', 'S03'].map((speaker, second) => speech(speaker, second, second + 1))
    const segments = assignSpeakers(words, turns)
    expect(segments.map(({ speaker }) => speaker)).toEqual(['S01', 'S02', 'S01', 'S03'])
    expect(new Set(segments.map(({ id }) => id)).size).toBe(4)
  })
})

describe('a word belongs', () => {
  const turns = [speech('S01', 0, 2), speech('S02', 2.2, 4)]
  const speakerOf = (startSecond: number, endSecond: number): string | undefined =>
    assignSpeakers([word('first', 0, 0.1), word('x', startSecond, endSecond)], turns).find(({ text }) =>
      text.endsWith('x'),
    )?.speaker

  test('to the speaker with most shared time', () => {
    expect(speakerOf(1.5, 2.4)).toBe('S01')
    expect(speakerOf(1.9, 2.6)).toBe('S02')
  })

  test('to the nearest speaker outside of all speech', () => {
    expect(speakerOf(2.01, 2.05)).toBe('S01')
    expect(speakerOf(2.15, 2.18)).toBe('S02')
    expect(speakerOf(9, 9.5)).toBe('S02')
  })

  test('to the first speaker before all speech', () => {
    expect(assignSpeakers([word('early', 0, 0.1)], [speech('S01', 5, 6)])).toMatchObject([{ speaker: 'S01', start: 0 }])
  })
})

describe('missing words or speech', () => {
  test('without words the response has no segments', () => {
    expect(assignSpeakers([], [speech('S01', 0, 2)])).toEqual([])
    expect(assignSpeakers([], [])).toEqual([])
  })

  test('words without any speech belong to one speaker', () => {
    expect(assignSpeakers([word('a', 0, 1), word('b', 9, 10)], [])).toMatchObject([
      { text: 'a b', speaker: 'S01', start: 0, end: 10 },
    ])
  })

  test('a speaker without words leaves no gap in the labels', () => {
    const turns = [speech('S01', 0, 1), speech('S02', 2, 3), speech('S03', 4, 5)]
    const segments = assignSpeakers([word('b', 2, 3), word('c', 4, 5)], turns)
    expect(segments.map(({ speaker }) => speaker)).toEqual(['S01', 'S02'])
  })
})

test('every word appears once and in order, for any times', () => {
  // a linear congruential walk: steps and lengths of all kinds, words that overlap stretches and gaps
  let state = 7
  const step = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  const turns = [...Array(40).keys()].map((index) => speech(`S0${(index % 3) + 1}`, index * 2, index * 2 + 2 * step()))
  let at = 0
  const words = [...Array(300).keys()].map((index) => {
    at += step() / 2
    return word(`w${index}`, at, at + step())
  })
  const text = assignSpeakers(words, turns).map((segment) => segment.text)
  expect(text.join(' ')).toBe(words.map((each) => each.word).join(' '))
})

describe('segments without times of words', () => {
  const said = (text: string, startSecond: number, endSecond: number, speaker?: string) => ({
    text,
    startSecond,
    endSecond,
    ...(speaker === undefined ? {} : { speaker }),
  })

  test('stay whole, each with the speaker of most of its time', () => {
    const segments = [said('one two', 0, 3), said('three', 3, 5), said('four', 5, 6)]
    expect(labelSegments(segments, [speech('S01', 0, 1), speech('S02', 1, 4.9), speech('S01', 5, 6)])).toEqual([
      { type: 'transcript.text.segment', id: 'seg_1', start: 0, end: 3, text: 'one two', speaker: 'S01' },
      { type: 'transcript.text.segment', id: 'seg_2', start: 3, end: 5, text: 'three', speaker: 'S01' },
      { type: 'transcript.text.segment', id: 'seg_3', start: 5, end: 6, text: 'four', speaker: 'S02' },
    ])
  })

  test('keep the speakers of an engine that names them all', () => {
    const heard = [speech('S01', 0, 9)]
    const speakers = (segments: Parameters<typeof labelSegments>[0]): string[] =>
      labelSegments(segments, heard).map(({ speaker }) => speaker)
    expect(speakers([said('a', 0, 1, 'S02'), said('b', 1, 2, 'S01')])).toEqual(['S01', 'S02'])
    expect(speakers([said('a', 0, 1, 'S02'), said('b', 1, 2)])).toEqual(['S01', 'S01'])
  })

  test('without any stretch of speech belong to one speaker', () => {
    expect(labelSegments([said('a', 0, 1), said('b', 1, 2)], []).map(({ speaker }) => speaker)).toEqual(['S01', 'S01'])
  })
})
