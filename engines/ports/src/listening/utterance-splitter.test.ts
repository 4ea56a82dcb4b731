import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { joined, signal, sine, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { UtteranceSplitter, type Utterance, type UtteranceSplitterOptions } from './utterance-splitter.ts'

function split(
  samples: Int16Array,
  options: UtteranceSplitterOptions = {},
  pieces: readonly number[] = [samples.length],
): Utterance[] {
  const splitter = new UtteranceSplitter(options)
  const utterances: Utterance[] = []
  let at = 0
  for (const length of pieces) {
    utterances.push(...splitter.push(samples.subarray(at, at + length)))
    at += length
  }
  return [...utterances, ...splitter.push(samples.subarray(at)), ...splitter.end()]
}

/** The positions of the cuts, in seconds. */
function cuts(utterances: readonly Utterance[]): number[] {
  return utterances.slice(1).map(({ startSample }) => startSample / 16_000)
}

/** A sound that rises and falls as syllables do, four times per second. */
function babble(seconds: number, level = 0.3): Int16Array<ArrayBuffer> {
  return signal(seconds, (second) => level * (0.55 + 0.45 * sine(4, second)) * sine(200, second))
}

function noise(seconds: number, level: number): Int16Array<ArrayBuffer> {
  const next = whiteNoise()
  return signal(seconds, () => level * next())
}

describe('UtteranceSplitter cuts', () => {
  test('in the middle of a pause, not at a shorter gap', () => {
    const audio = joined([babble(2), new Int16Array(4000), babble(2), new Int16Array(16_000), babble(2)])
    expect(cuts(split(audio))).toEqual([expect.closeTo(4.55, 1)])
  })

  test('in a pause full of noise', () => {
    const audio = joined([babble(2), new Int16Array(16_000), babble(2)])
    const next = whiteNoise(7)
    const noisy = audio.map((sample) => sample + 500 * next())
    expect(cuts(split(noisy))).toEqual([expect.closeTo(2.3, 1)])
  })

  test.each([1, 0.1, 0.01])('at the same place at %d times the level', (level) => {
    const audio = joined([babble(2, 0.5 * level), new Int16Array(16_000), babble(2, 0.5 * level)])
    expect(cuts(split(audio))).toEqual([expect.closeTo(2.3, 1)])
  })

  test('at the quietest spot of the later half, after too long without a pause', () => {
    const audio = joined([babble(7.8), new Int16Array(1600), babble(10)])
    expect(cuts(split(audio, { maxSeconds: 10 }))[0]).toBeCloseTo(7.85, 1)
  })

  test('not before the first speech', () => {
    const audio = joined([new Int16Array(32_000), babble(1)])
    expect(cuts(split(audio))).toEqual([])
  })

  test('not after a click alone', () => {
    const click = new Int16Array(32_000)
    click.fill(20_000, 8000, 8030)
    expect(cuts(split(click))).toEqual([])
  })
})

describe('for any audio', () => {
  const sound = fc.oneof(
    fc.integer({ min: 1, max: 30_000 }).map((length) => new Int16Array(length)),
    fc.double({ min: 0.1, max: 3, noNaN: true }).map((seconds) => babble(seconds)),
    fc.double({ min: 0.1, max: 2, noNaN: true }).map((seconds) => noise(seconds, 0.05)),
  )
  const audio = fc.array(sound, { maxLength: 6 }).map((parts) => joined(parts))
  const options = { maxSeconds: 2 }

  test('the utterances together are the audio, and none is too long', () => {
    fc.assert(
      fc.property(audio, (samples) => {
        const utterances = split(samples, options)
        expect(joined(utterances.map((utterance) => utterance.samples))).toEqual(samples)
        let at = 0
        for (const utterance of utterances) {
          expect(utterance.startSample).toBe(at)
          expect(utterance.samples.length).toBeGreaterThan(0)
          expect(utterance.samples.length).toBeLessThan(2 * 16_000 + 160)
          at += utterance.samples.length
        }
      }),
      { numRuns: 40 },
    )
  })

  test('the cuts do not depend on the sizes of the pieces', () => {
    const pieces = fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 40 })
    fc.assert(
      fc.property(audio, pieces, (samples, lengths) => {
        expect(cuts(split(samples, options, lengths))).toEqual(cuts(split(samples, options)))
      }),
      { numRuns: 40 },
    )
  })
})

test('no audio gives no utterance', () => {
  expect(split(new Int16Array(0))).toEqual([])
})
