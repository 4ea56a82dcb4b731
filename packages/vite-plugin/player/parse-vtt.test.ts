import { toVtt } from '@svc-audio/core/subtitles'
import { expect, test } from 'vitest'
import { parseVtt } from './parse-vtt.ts'

test('parsed captions equal the written ones', () => {
  const vtt = toVtt([
    { start: 0.5, end: 2, text: 'a < b & c' },
    { start: 3600.25, end: 3602, text: 'Later.' },
  ])
  expect(parseVtt(vtt)).toEqual({
    cues: [
      { startSecond: 0.5, endSecond: 2, text: 'a < b & c' },
      { startSecond: 3600.25, endSecond: 3602, text: 'Later.' },
    ],
    isPartial: false,
  })
})

test('incomplete captions are partial', () => {
  expect(parseVtt('WEBVTT\n\nNOTE partial\n')).toEqual({ cues: [], isPartial: true })
})

test('a text that is not WebVTT has no captions', () => {
  expect(parseVtt('<!doctype html>')).toEqual({ cues: [], isPartial: false })
})
