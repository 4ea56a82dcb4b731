import { toVtt } from '@svc-audio/core/subtitles'
import { expect, test } from 'vitest'
import { parseVtt } from './parse-vtt.ts'

const CUES = [
  { startSecond: 0.5, endSecond: 2, text: 'a < b & c' },
  { startSecond: 3600.25, endSecond: 3602, text: 'Later.' },
]

test('parsed captions equal the written ones', () => {
  const vtt = toVtt([
    { start: 0.5, end: 2, text: 'a < b & c' },
    { start: 3600.25, end: 3602, text: 'Later.' },
  ])
  expect(parseVtt(vtt)).toEqual({
    cues: CUES,
    segments: CUES,
    isPartial: false,
  })
})

test('incomplete captions are partial', () => {
  expect(parseVtt('WEBVTT\n\nNOTE partial\n')).toEqual({ cues: [], segments: [], isPartial: true })
})

test('a text that is not WebVTT has no captions', () => {
  expect(parseVtt('<!doctype html>')).toEqual({ cues: [], segments: [], isPartial: false })
})

test('cues of one segment are one paragraph', () => {
  const vtt = `WEBVTT

1.1
00:00.000 --> 00:01.000
The harbour.

2.1
00:01.500 --> 00:03.000
The boat leaves at nine,

2.2
00:03.200 --> 00:05.000
and comes back
at ten.
`
  const { cues, segments } = parseVtt(vtt)
  expect(cues.map(({ text }) => text)).toEqual(['The harbour.', 'The boat leaves at nine,', 'and comes back at ten.'])
  expect(segments).toEqual([
    { startSecond: 0, endSecond: 1, text: 'The harbour.' },
    { startSecond: 1.5, endSecond: 5, text: 'The boat leaves at nine, and comes back at ten.' },
  ])
})
