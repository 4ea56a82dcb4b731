import { beforeAll, expect, test } from 'vitest'
import { createPronounce, type Pronounce } from './program.ts'

let pronounce: Pronounce
beforeAll(async () => {
  pronounce = await createPronounce()
})

test.each([
  ['Zorblax', 'Z AO R B L AE K S'],
  ['GPT-4', 'JH IY P IY T IY F AO R'],
  ['Müller', 'M AH L ER'],
  ['--help', 'HH EH L P'],
])('%s is pronounced', (word, phones) => {
  expect(pronounce(word).join(' ')).toBe(phones)
})

test.each(['日本', '…', '🎉', ' '])('%j has no pronunciation', (word) => {
  expect(pronounce(word)).toEqual([])
})

test('every phone is one of the CMU set', () => {
  const cmu = new Set(
    'AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH'.split(' '),
  )
  const words = ['butter', 'button', 'bottle', 'rhythm', 'measure', 'Xylophone', 'about', 'Schwartz', 'winter', '1999']
  for (const word of words) expect(pronounce(word).filter((phone) => !cmu.has(phone))).toEqual([])
})
