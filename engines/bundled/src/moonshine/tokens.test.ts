import { readFile } from 'node:fs/promises'
import { moonshineFiles } from '@svc-audio/moonshine-en'
import { beforeAll, expect, test } from 'vitest'
import { Tokens } from './tokens.ts'

let tokens: Tokens
beforeAll(async () => {
  tokens = new Tokens(await readFile(moonshineFiles.tokens))
})

test.each([' Please send the report', ' Zorblax', ' naïve café, 25 %', ' 日本'])(
  'the tokens of "%s" are its text',
  (text) => {
    expect(tokens.decode(tokens.encode(text))).toBe(text.trim())
  },
)

test('common words are one token', () => {
  expect([' the', ' report', ' send'].map((word) => tokens.encode(word).length)).toEqual([1, 1, 1])
})

test('a token that begins with a letter continues the word before it', () => {
  const [start, ...rest] = tokens.encode(' Zorblax')
  expect(tokens.continues(start ?? 0)).toBe(false)
  expect(rest.every((id) => tokens.continues(id))).toBe(true)
  expect(tokens.encode('.').some((id) => tokens.continues(id))).toBe(false)
})
