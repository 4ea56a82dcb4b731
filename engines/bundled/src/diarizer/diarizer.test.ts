import { beforeAll, describe, expect, test } from 'vitest'

import type { Diarization } from '@svc-audio/engine-ports'
import { makeDialogue, type Dialogue } from '../../test/diarization/dialogue.ts'
import { scoreDiarization } from '../../test/diarization/score.ts'
import { speak } from '../../test/diarization/voices.ts'
import { joined, signal, sine, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { Diarizer } from './diarizer.ts'
import { campplusFile } from '@svc-audio/campplus'
import { loadRuntime } from '../onnx/runtime.ts'
import { VoiceEncoder } from './voice-encoder.ts'

type Load = (() => Promise<VoiceEncoder>) | undefined

const encoder: Load = async () => VoiceEncoder.load(await loadRuntime('web'), campplusFile)

async function diarize(samples: Int16Array, blockSamples = 8000, load: Load = encoder): Promise<Diarization> {
  const diarizer = new Diarizer(load)
  for (let at = 0; at < samples.length; at += blockSamples) await diarizer.push(samples.subarray(at, at + blockSamples))
  return diarizer.end()
}

describe.each<[string, Load]>([
  ['by the encoder', encoder],
  ['by pitch and timbre', undefined],
])('a dialogue of three %s', (_, load) => {
  let dialogue: Dialogue
  let found: Diarization
  beforeAll(async () => {
    dialogue = await makeDialogue(3, 3)
    found = await diarize(dialogue.samples, 8000, load)
  })

  test('has three speakers at the right times', () => {
    const score = scoreDiarization(dialogue.spans, found.segments)
    expect(score.found).toBe(3)
    expect(score.right).toBeGreaterThan(0.97)
    // Soft edges, and pauses of one speaker.
    expect(score.extra).toBeLessThan(0.15)
  })

  test('has labels in the order of first appearance', () => {
    expect([...new Set(found.segments.map(({ speaker }) => speaker))]).toEqual(['S01', 'S02', 'S03'])
  })

  test('has segments in the order of time, within the audio and without overlaps', () => {
    expect(found.durationSeconds).toBe(dialogue.samples.length / 16_000)
    let at = 0
    for (const { startSecond, endSecond } of found.segments) {
      expect(startSecond).toBeGreaterThanOrEqual(at)
      expect(endSecond).toBeGreaterThan(startSecond)
      at = endSecond
    }
    expect(at).toBeLessThanOrEqual(found.durationSeconds)
  })

  test('is the same in pieces of any size', async () => {
    expect(await diarize(dialogue.samples, 777, load)).toEqual(found)
    expect(await diarize(dialogue.samples, dialogue.samples.length, load)).toEqual(found)
  })

  test('is the same at a tenth of the loudness', async () => {
    const soft = await diarize(
      dialogue.samples.map((sample) => sample / 10),
      8000,
      load,
    )
    expect(scoreDiarization(dialogue.spans, soft.segments)).toMatchObject({ found: 3, right: expect.closeTo(1, 1) })
  })
})

describe('pauses of one speaker', () => {
  test.each([
    [0.3, 1],
    [1.5, 2],
  ])('of %d s leave %d segments', async (seconds, count) => {
    const { samples } = await speak({ base: 'rms', pitch: 101, stretch: 1 }, 'The children played in the garden.')
    const { segments } = await diarize(joined([new Int16Array(8000), samples, samples, new Int16Array(8000)], seconds))
    expect(segments.map(({ speaker }) => speaker)).toEqual(Array.from({ length: count }, () => 'S01'))
    // The first silence, its pause, and a margin.
    expect(Math.abs((segments[0]?.startSecond ?? 0) - 0.5 - seconds)).toBeLessThan(0.1)
  })
})

describe('without speech there are no segments', () => {
  const hiss = whiteNoise()
  test.each([
    ['in digital silence', () => 0],
    ['in soft noise', () => 0.01 * hiss()],
    ['in loud noise', () => 0.5 * hiss()],
    ['in a tone', (second: number) => 0.3 * sine(440, second)],
    ['in hum', (second: number) => 0.2 * sine(50, second) + 0.1 * sine(150, second)],
    ['in clicks', (second: number) => (second % 0.25 < 0.0002 ? 0.8 : 0)],
  ])('%s', async (_, value) => {
    expect(await diarize(signal(20, value))).toEqual({ segments: [], durationSeconds: 20 })
  })

  test('in no audio, and in a thousandth of a second', async () => {
    expect(await diarize(new Int16Array(0))).toEqual({ segments: [], durationSeconds: 0 })
    expect(await diarize(new Int16Array(16))).toEqual({ segments: [], durationSeconds: 0.001 })
  })
})
