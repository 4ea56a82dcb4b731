import { expect, test } from 'vitest'
import { Dictionary } from './dictionary.ts'

const dictionary = new Dictionary(Buffer.from("'bout B AW T\nread R EH D\nread(2) R IY D\nreader R IY D ER\nthe DH AH"))

test('a word has all its pronunciations', () => {
  expect(dictionary.pronunciations('read')).toEqual(['R EH D', 'R IY D'])
  expect(dictionary.pronunciations('the')).toEqual(['DH AH'])
  expect(dictionary.pronunciations("'bout")).toEqual(['B AW T'])
})

test.each(['rea', 'ader', 'Read', '', 'read(2)x', 'R', '.*'])('%j is not in it', (word) => {
  expect(dictionary.pronunciations(word)).toEqual([])
})

test('a smaller one has the chosen words, with all their pronunciations', () => {
  expect(dictionary.only(new Set(['read', 'the', 'unknown']))).toBe('read R EH D\nread(2) R IY D\nthe DH AH\n')
})
