import { expect, test } from 'vitest'
import { FIRST_DRAFT, formatOf, isReady, isStream, SAMPLES, STREAMING_MODEL } from './take.ts'

test.each([
  ['svc-tts-1.5-flash', 'stream', true],
  ['svc-tts-1.5-flash', 'mp3', false],
  ['svc-tts-1.0-pro', 'stream', false],
] as const)('%s with the output %s is a stream: %s', (model, output, expected) => {
  expect(isStream({ ...FIRST_DRAFT, model, output })).toBe(expected)
})

test('a draft of a stream makes an MP3, when its model makes files only', () => {
  expect(formatOf({ ...FIRST_DRAFT, output: 'stream' })).toBe('mp3')
  expect(formatOf({ ...FIRST_DRAFT, output: 'opus' })).toBe('opus')
})

test.each([
  ['Hi', '', 'stream', true],
  ['Hi', '', 'mp3', false],
  ['Hi', 'rms', 'mp3', true],
  [' ', 'rms', 'stream', false],
] as const)('the text %j with the voice %j as %s can be spoken: %s', (text, voice, output, expected) => {
  expect(isReady({ ...FIRST_DRAFT, text, voice, output })).toBe(expected)
})

test('the first draft streams at a speed of the range', () => {
  expect([FIRST_DRAFT.model, isStream(FIRST_DRAFT)]).toEqual([STREAMING_MODEL, true])
  expect(FIRST_DRAFT.speed).toBeGreaterThanOrEqual(0.25)
  expect(FIRST_DRAFT.speed).toBeLessThanOrEqual(4)
})

test.each(SAMPLES)('the pauses of the sample $title have a length that the service takes', ({ text }) => {
  const pauses = [...text.matchAll(/\[pause ([^\]]*)\]/g)].map(([, length = '']) => length)
  for (const length of pauses) {
    expect(length).toMatch(/^\d+(?:\.\d+)?s$/)
    expect(Number.parseFloat(length)).toBeGreaterThanOrEqual(0.1)
    expect(Number.parseFloat(length)).toBeLessThanOrEqual(10)
  }
  expect(text.replaceAll(/\[pause [^\]]*\]/g, '')).not.toContain('[')
})
