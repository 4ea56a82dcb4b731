import { describe, expect, test } from 'vitest'
import { spokenWords } from './spoken-words.ts'

const DICTIONARY = new Set(['hello', 'there', 'well', 'known', "don't", 'five', 'dr'])

function soundOf(word: string): string | undefined {
  if (DICTIONARY.has(word)) return ''
  return /[a-z0-9]/.test(word) ? `PHONES OF ${word}` : undefined
}

describe('spoken words', () => {
  test('are those of the dictionary, without the marks around them', () => {
    expect(spokenWords('Hello, “there”!', soundOf)).toEqual([
      { word: 'Hello,', sounds: [{ name: 'hello' }] },
      { word: '“there”!', sounds: [{ name: 'there' }] },
    ])
  })

  test('of a number or an unknown word are its pronunciation', () => {
    expect(spokenWords('Zorblax $25', soundOf)).toEqual([
      { word: 'Zorblax', sounds: [{ name: '#zorblax', phones: 'PHONES OF zorblax' }] },
      { word: '$25', sounds: [{ name: '#$25', phones: 'PHONES OF $25' }] },
    ])
  })

  test('of a compound are those of its parts', () => {
    expect(spokenWords('well-known', soundOf)).toEqual([
      { word: 'well-known', sounds: [{ name: 'well' }, { name: 'known' }] },
    ])
  })

  test('keep an apostrophe, also a typographic one', () => {
    expect(spokenWords('Don’t', soundOf)).toEqual([{ word: 'Don’t', sounds: [{ name: "don't" }] }])
  })

  test('join the words of the text: a mark alone belongs to its neighbour', () => {
    const words = spokenWords('— Hello - there …', soundOf)
    expect(words?.map(({ word }) => word)).toEqual(['— Hello -', 'there …'])
  })

  test('do not exist for a text with a word that nobody can pronounce, and for no word', () => {
    expect(spokenWords('hello 日本', soundOf)).toBeUndefined()
    expect(spokenWords('…', soundOf)).toBeUndefined()
    expect(spokenWords('', soundOf)).toBeUndefined()
  })
})
