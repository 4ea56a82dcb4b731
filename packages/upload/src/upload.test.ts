import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanFileName } from './upload.ts'

/** Any UTF-16 code unit, including lone surrogates; controls and separators often. */
const codeUnit = fc
  .oneof(fc.nat({ max: 0xff_ff }), fc.constantFrom(0, 10, 13, 47, 92, 0x20_2e))
  .map((code) => String.fromCharCode(code))

test('a usual name stays', () => {
  for (const name of ['speech.wav', 'größe 🎙️.wav', '.hidden', 'a "b" c.ogg']) {
    expect(cleanFileName(name)).toBe(name)
  }
})

test('the quotation marks of browsers are decoded', () => {
  expect(cleanFileName('a %22b%22 c.ogg')).toBe('a "b" c.ogg')
  expect(cleanFileName('100%25.mp3')).toBe('100%25.mp3')
})

test('folders, controls, line breaks and direction marks are removed', () => {
  expect(cleanFileName('../../etc/passwd')).toBe('passwd')
  expect(cleanFileName(String.raw`C:\temp\a.wav`)).toBe('a.wav')
  expect(cleanFileName('a\r\nX-Evil: b.wav')).toBe('aX-Evil: b.wav')
  expect(cleanFileName('a\u0000\u2028\u2029\u202Eb.wav')).toBe('ab.wav')
})

test('a name without usable characters is undefined', () => {
  for (const name of [undefined, '', ' ', '.', '..', '/', 'a/', '\r\n']) expect(cleanFileName(name)).toBeUndefined()
})

test('any input gives a clean name, and a long name keeps its extension', () => {
  fc.assert(
    fc.property(fc.string({ unit: codeUnit }), (name) => {
      const cleaned = cleanFileName(name)
      expect(cleaned === undefined || /^[^\p{Cc}/\\\u2028\u2029]+$/u.test(cleaned)).toBe(true)
      expect(cleaned?.isWellFormed()).not.toBe(false)
    }),
  )
  expect(cleanFileName(`${'x'.repeat(1000)}.wav`)).toBe(`${'x'.repeat(251)}.wav`)
})
