import { expect, test } from 'vitest'
import { joinSpans } from './utterances.ts'

test('speech with less than a pause of 0.7 s between is one span with a little around it, and a longer silence stays out', () => {
  const spans = [
    { start: 0, end: 16_000 },
    { start: 24_000, end: 32_000 },
    { start: 48_000, end: 63_000 },
  ]
  expect(joinSpans(spans, 64_000)).toEqual([
    { start: 0, end: 34_400 },
    { start: 45_600, end: 64_000 },
  ])
  expect(joinSpans([], 100)).toEqual([])
})
