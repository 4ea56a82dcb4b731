import { expect, test } from 'vitest'
import { wavOf } from '@svc-audio/kit/hosts/audio-files'
import { parseSidecar, sidecarText } from '../narrator/sidecar.ts'
import { createJoiner } from './create-joiner.ts'

const EDGES = { clipStart: true, clipEnd: true }

/** A tone of this length, in seconds, at 16 kHz. */
const tone = (seconds: number, peak = 9000): number[] =>
  Array.from({ length: seconds * 16_000 }, (_, index) => Math.round(peak * Math.sin(index / 7)))

test('the pauses of a WAV segment are its silences of 0.07 seconds and longer, also with noise in them', () => {
  const joiner = createJoiner('wav', 0.5)
  joiner.add(wavOf(tone(1)), EDGES)
  joiner.add(wavOf([...tone(0.5), ...tone(0.3, 40), ...tone(0.5), ...tone(0.05, 0), ...tone(0.5)]), EDGES)
  const [first, second] = joiner.places
  expect(first?.pauses).toBeUndefined()
  expect(second?.pauses?.map((pause) => [pause.startSecond, pause.endSecond])).toEqual([[2, 2.3]])
})

test('pauses survive the cache', () => {
  const places = [
    { startSecond: 0, endSecond: 3, pauses: [{ startSecond: 1, endSecond: 1.25 }] },
    { startSecond: 3.5, endSecond: 4 },
  ]
  expect(parseSidecar(sidecarText({ sha256: 'ab', durationSeconds: 4, places, facts: {} }))?.places).toEqual(places)
})
