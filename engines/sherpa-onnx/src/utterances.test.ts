import { describe, expect, test } from 'vitest'
import { joinSpans, surrounded } from './utterances.ts'

describe('spans of speech', () => {
  test('with less than a pause between them are one, and each is a little wider', () => {
    const spans = [
      { start: 16_000, end: 32_000 },
      { start: 36_000, end: 40_000 },
      { start: 64_000, end: 80_000 },
    ]
    expect(joinSpans(spans, 81_000)).toEqual([
      { start: 13_600, end: 42_400 },
      { start: 61_600, end: 81_000 },
    ])
  })
})

test('samples are copied with silence on both sides', () => {
  expect(surrounded(Int16Array.of(1, 2), 3)).toEqual(Int16Array.of(0, 0, 0, 1, 2, 0, 0, 0))
  const samples = Int16Array.of(1, 2)
  expect(surrounded(samples, 0)).toEqual(samples)
  expect(surrounded(samples, 0).buffer).not.toBe(samples.buffer)
})
