import { expect, test } from 'vitest'
import { isNarrationFormat } from './formats.ts'

test('names of formats are the own keys of the table, in lower case', () => {
  expect(['mp3', 'wav', 'opus', 'flac', 'aac'].every(isNarrationFormat)).toBe(true)
  for (const name of ['MP3', 'pcm', 'ogg', '', 'toString', '__proto__']) expect(isNarrationFormat(name)).toBe(false)
})
