import { expect, test } from 'vitest'
import { estimateSpeech, estimateTranscription } from './task-kinds.ts'

test('the cost of speech grows with its text, and encoding adds to it', () => {
  expect(estimateSpeech(1000, 'wav')).toBe(500)
  expect(estimateSpeech(1000, 'mp3')).toBe(1700)
  expect(estimateSpeech(0, 'pcm')).toBe(1)
})

test('the cost of a transcription grows with its file, and speakers add to it', () => {
  expect(estimateTranscription(160_000, false)).toBe(2000)
  expect(estimateTranscription(160_000, true)).toBe(2500)
  expect(estimateTranscription(1, false)).toBe(1)
  expect(estimateTranscription(undefined, false)).toBe(12_000)
})
