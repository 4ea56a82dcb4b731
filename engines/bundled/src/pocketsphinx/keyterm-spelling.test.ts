import { expect, test } from 'vitest'
import { keytermToken, spellKeyterms } from './keyterm-spelling.ts'

/** Words that last a second each. */
const heard = (text: string) =>
  text.split(' ').map((word, index) => ({ word, startSecond: index, endSecond: index + 1 }))

const spelled = (text: string, keyterms: readonly string[]): string[] =>
  spellKeyterms(heard(text), keyterms).map(({ word }) => word)

test('a token becomes its term', () => {
  const terms = ['Zorblax', 'Acme Robotics']
  expect(spelled(`call ${keytermToken(1)} or ${keytermToken(0)}`, terms)).toEqual([
    'call',
    'Acme Robotics',
    'or',
    'Zorblax',
  ])
})

test('plain words that equal a term take its spelling, a phrase from its first word to its last', () => {
  expect(spellKeyterms(heard('in new york they ski'), ['New York', 'Ski'])).toEqual([
    { word: 'in', startSecond: 0, endSecond: 1 },
    { word: 'New York', startSecond: 1, endSecond: 3 },
    { word: 'they', startSecond: 3, endSecond: 4 },
    { word: 'Ski', startSecond: 4, endSecond: 5 },
  ])
})

test('the longest term wins, and a part of one does not count', () => {
  expect(spelled('new york times and new yorkers', ['York', 'New York Times', 'New York'])).toEqual([
    'New York Times',
    'and',
    'new',
    'yorkers',
  ])
})

test('without keyterms words are unchanged, and so is an unknown token', () => {
  expect(spelled('new york', [])).toEqual(['new', 'york'])
  expect(spelled('#7', ['Acme'])).toEqual(['#7'])
  expect(spellKeyterms([], ['Acme'])).toEqual([])
})
