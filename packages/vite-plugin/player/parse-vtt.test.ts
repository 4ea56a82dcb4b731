import { toVtt } from '@svc-audio/core/subtitles'
import { expect, test } from 'vitest'
import { parseVtt } from './parse-vtt.ts'

test('captions are read as they are written', () => {
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

test('captions that are not complete say so', () => {
  expect(parseVtt('WEBVTT\n\nNOTE partial\n')).toEqual({ cues: [], isPartial: true })
})

test('what is no captions has none', () => {
  expect(parseVtt('<!doctype html>')).toEqual({ cues: [], isPartial: false })
})
