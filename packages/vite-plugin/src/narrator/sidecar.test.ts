import { describe, expect, test } from 'vitest'
import { parseSidecar, readPlaces, sidecarText } from './sidecar.ts'

const SHA256 = 'ab'.repeat(32)
const PLACES = [
  { startSecond: 0, endSecond: 1.25 },
  { startSecond: 1.75, endSecond: 3 },
]
const FACTS = { source: 'posts/a.md', model: 'svc-x', input: 'Grüße, “you”.' }
const TEXT = sidecarText({ sha256: SHA256, durationSeconds: 3, places: PLACES, facts: FACTS })

test('a sidecar is parsed as it was written', () => {
  expect(parseSidecar(TEXT)).toEqual({ sha256: SHA256, places: PLACES, facts: FACTS })
  const plain = sidecarText({ sha256: SHA256, durationSeconds: 3, places: undefined, facts: FACTS })
  expect(parseSidecar(plain)).toEqual({ sha256: SHA256, places: undefined, facts: FACTS })
  expect(plain).not.toContain('places')
})

test('the text is JSON for people: indented, with the length, and a line break at its end', () => {
  expect(TEXT.startsWith(`{\n  "sha256": "${SHA256}",\n  "durationSeconds": 3,\n  "source": "posts/a.md"`)).toBe(true)
  expect(TEXT.endsWith('}\n')).toBe(true)
})

test.each([
  ['a moved place', TEXT.replace('1.75', '1.5')],
  ['another sum of the audio', TEXT.replace(SHA256, 'cd'.repeat(32))],
  ['no sum of the places', TEXT.replace('placesSum', 'sumOfPlaces')],
  ['a place of text', TEXT.replace('1.75', '"1.75"')],
  ['a lost end', TEXT.replace('"endSecond": 3', '"end": 3')],
])('%s loses the places, but not the entry', (_, text) => {
  expect(text).not.toBe(TEXT)
  const parsed = parseSidecar(text)
  expect(parsed?.places).toBeUndefined()
  expect(parsed?.facts['source']).toBe('posts/a.md')
})

test('a cut sidecar is none, wherever the cut is', () => {
  for (let length = 0; length < TEXT.length - 1; length += 1) {
    expect(parseSidecar(TEXT.slice(0, length))).toBeUndefined()
  }
})

test.each(['null', '7', '"text"', '[]', '{}', `{"sha256":7}`, `[{"sha256":"${SHA256}"}]`])(
  '%s is no sidecar',
  (text) => {
    expect(parseSidecar(text)).toBeUndefined()
  },
)

describe('places', () => {
  test('further fields are dropped', () => {
    expect(readPlaces([{ startSecond: 0, endSecond: 1, text: 'x' }])).toEqual([{ startSecond: 0, endSecond: 1 }])
    expect(readPlaces([])).toEqual([])
  })

  test.each([
    [undefined],
    [{}],
    ['[]'],
    [[null]],
    [[7]],
    [[{ startSecond: 0 }]],
    [[{ startSecond: 0, endSecond: null }]],
    [[{ startSecond: 0, endSecond: 1 }, {}]],
  ])('%o are none', (value) => {
    expect(readPlaces(value)).toBeUndefined()
  })
})
