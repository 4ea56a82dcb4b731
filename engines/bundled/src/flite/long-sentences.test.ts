import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { cutLong } from './long-sentences.ts'

function characters(text: string): number {
  return Array.from(text).length
}

describe('cutLong', () => {
  test('a sentence of 200 characters stays whole', () => {
    const sentence = `${'word, '.repeat(33)}en`
    expect(sentence).toHaveLength(200)
    expect(cutLong(sentence)).toEqual([{ text: sentence, join: 'cut' }])
  })

  test('a longer one is cut at the last clause within 120 characters', () => {
    const clause = 'twenty characters a, '
    const [first, ...rest] = cutLong(clause.repeat(12))
    expect(first).toEqual({ text: clause.repeat(5), join: 'clause' })
    expect(rest.map((piece) => piece.text).join('')).toBe(clause.repeat(7))
  })

  test('a later end of a clause is better than a cut between words', () => {
    const late = `${'word '.repeat(30)}end, `
    expect(cutLong(late + 'word '.repeat(20))[0]).toEqual({ text: late, join: 'clause' })
  })

  test('without clauses it is cut between words, without a short rest', () => {
    const pieces = cutLong('word '.repeat(41))
    expect(pieces.map((piece) => [piece.text.length, piece.join])).toEqual([
      [120, 'cut'],
      [85, 'cut'],
    ])
  })

  test('an endless word is cut at 200 characters, never inside one', () => {
    const word = `a${'𝐇'.repeat(450)}`
    const pieces = cutLong(word)
    expect(pieces.map((piece) => characters(piece.text))).toEqual([200, 200, 51])
    expect(pieces.every((piece) => piece.text.isWellFormed())).toBe(true)
  })

  test('digits and signs count four times, because they take that long to speak', () => {
    expect(cutLong('7'.repeat(120)).map((piece) => piece.text.length)).toEqual([50, 50, 20])
    expect(cutLong('%'.repeat(51)).map((piece) => piece.text.length)).toEqual([50, 1])
  })

  test('an opening clause of a few words is not cut off', () => {
    expect(cutLong(`Well, ${'word '.repeat(45)}`)[0]?.text.length).toBeGreaterThan(100)
  })

  test('the parts are the whole, and none is over the limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), (sentence) => {
        const pieces = cutLong(sentence)
        expect(pieces.map((piece) => piece.text).join('')).toBe(sentence)
        expect(pieces.every((piece) => characters(piece.text) <= 200)).toBe(true)
        expect(pieces.every((piece) => piece.text !== '' || sentence === '')).toBe(true)
      }),
    )
  })
})
