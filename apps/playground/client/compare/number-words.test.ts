import { expect, test } from 'vitest'
import { numberWords } from './compare-texts.ts'

test.each([
  ['7:45', 'seven forty-five'],
  ['7:05', 'seven oh five'],
  ['9:00', 'nine'],
  ['0', 'zero'],
  ['19', 'nineteen'],
  ['40', 'forty'],
  ['101', 'one hundred one'],
  ['1,234', 'one thousand two hundred thirty-four'],
  ['2026', 'two thousand twenty-six'],
  ['3000000', 'three million'],
  ['3.14', 'three point one four'],
  ['3.05', 'three point zero five'],
  ['5%', 'five percent'],
  ['$20', 'twenty dollars'],
  ['1st', 'first'],
  ['22nd', 'twenty-second'],
  ['30th', 'thirtieth'],
  ['12th', 'twelfth'],
  ['9999999999999', 'nine nine nine nine nine nine nine nine nine nine nine nine nine'],
  ['clock', 'clock'],
  ['B2B', 'B2B'],
  ['12:3', '12:3'],
])('%s is %s', (token, words) => {
  expect(numberWords(token)).toBe(words)
})
