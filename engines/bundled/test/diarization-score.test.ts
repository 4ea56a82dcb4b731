import { beforeAll, describe, expect, test } from 'vitest'

import { makeDialogue, type Dialogue } from './diarization/dialogue.ts'
import { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { scoreDiarization } from './diarization/score.ts'
import { designVoices } from './diarization/voices.ts'

const span = (speaker: number, startSecond: number, endSecond: number) => ({
  speaker,
  start: startSecond * 16_000,
  end: endSecond * 16_000,
})
const segment = (speaker: string, startSecond: number, endSecond: number) => ({ speaker, startSecond, endSecond })

describe('the score', () => {
  const spans = [span(0, 0, 4), span(1, 5, 9), span(0, 10, 12)]

  test('of a correct result is one, with any labels', () => {
    const segments = [segment('S02', 0, 4), segment('S01', 5, 9), segment('S02', 10, 12)]
    expect(scoreDiarization(spans, segments)).toEqual({ right: 1, found: 2, extra: 0 })
  })

  test('of one speaker for all is the share of the longest speaker', () => {
    expect(scoreDiarization(spans, [segment('S01', 0, 12)])).toEqual({ right: 0.6, found: 1, extra: 0.2 })
  })

  test("of a speaker for each segment is the share of each speaker's longest segment", () => {
    const segments = [segment('S01', 0, 4), segment('S02', 5, 9), segment('S03', 10, 12)]
    expect(scoreDiarization(spans, segments)).toEqual({ right: 0.8, found: 3, extra: 0 })
  })

  test('maps labels to speakers one to one, for the best total', () => {
    // S01 and S02 share as much with speaker 0, but S02 shares nothing with speaker 1
    const segments = [segment('S01', 0, 3), segment('S02', 3, 4), segment('S01', 5, 7), segment('S02', 10, 12)]
    expect(scoreDiarization(spans, segments).right).toBeCloseTo(0.5)
  })

  test('of no segments is zero', () => {
    expect(scoreDiarization(spans, [])).toEqual({ right: 0, found: 0, extra: 0 })
  })
})

describe('a generated dialogue', () => {
  let dialogue: Dialogue
  beforeAll(async () => {
    dialogue = await makeDialogue(4, 4)
  })

  test('is identical for the same seed, and differs for another', async () => {
    expect(await makeDialogue(4, 4)).toEqual(dialogue)
    expect((await makeDialogue(5, 4)).voices).not.toEqual(dialogue.voices)
  })

  test('has at least two lines of every speaker', () => {
    for (const speaker of [0, 1, 2, 3]) {
      const turns = dialogue.spans.filter(
        (each, index) => each.speaker === speaker && dialogue.spans[index - 1]?.speaker !== speaker,
      )
      expect(turns.length).toBeGreaterThanOrEqual(1)
      const seconds = dialogue.spans
        .filter((each) => each.speaker === speaker)
        .reduce((sum, { start, end }) => sum + (end - start) / 16_000, 0)
      expect(seconds).toBeGreaterThan(3)
    }
  })

  test('has a gap of 0.2 to 0.8 s at each change of speaker, and all spans within the audio', () => {
    for (const [index, { start, end, speaker }] of dialogue.spans.entries()) {
      expect(end).toBeGreaterThan(start)
      expect(end).toBeLessThanOrEqual(dialogue.samples.length)
      const next = dialogue.spans[index + 1]
      if (next === undefined || next.speaker === speaker) continue
      expect((next.start - end) / 16_000).toBeGreaterThanOrEqual(0.2)
      expect((next.start - end) / 16_000).toBeLessThanOrEqual(0.81)
    }
  })

  test('has sound in its spans and hardly any between lines', () => {
    const power = (start: number, end: number): number =>
      Math.sqrt(dialogue.samples.subarray(start, end).reduce((sum, value) => sum + value ** 2, 0) / (end - start))
    const [first] = dialogue.spans
    const start = first?.start ?? 0
    expect(power(start, first?.end ?? 0)).toBeGreaterThan(300)
    expect(power(0, start - 1600)).toBeLessThan(50)
  })
})

test.each([1, 2, 3, 4, 5])('%d designed voices differ in base or by four semitones', (count) => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const voices = designVoices(new Random(seed), count)
    expect(voices).toHaveLength(count)
    for (const [index, a] of voices.entries()) {
      for (const b of voices.slice(index + 1))
        expect(a.base !== b.base || Math.abs(Math.log2(a.pitch / b.pitch)) >= 0.333).toBe(true)
    }
  }
})
