import { DETECTOR_FRAME_SAMPLES, type SpeechDetector } from '@svc-audio/engine-ports'
import { describe, expect, test } from 'vitest'
import { UtteranceCutter, type UtteranceCutterOptions } from './utterances.ts'

/** Finds speech where samples are not 0: a sample of 100 is speech for sure, one of 50 may be. */
const detector: SpeechDetector = { judge: async (frame) => (frame[0] ?? 0) / 100, reset: () => undefined }

/** Sound of spans: seconds, and the value of all samples. */
function sound(...spans: readonly (readonly [seconds: number, value: number])[]): Int16Array<ArrayBuffer> {
  const parts = spans.map(([seconds, value]) => new Int16Array(seconds * 16_000).fill(value))
  const whole = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Start and end of each utterance, in seconds. */
async function cuts(
  samples: Int16Array,
  chunk: number = samples.length,
  options?: UtteranceCutterOptions,
): Promise<[start: number, end: number][]> {
  const cutter = new UtteranceCutter(detector, options)
  const found: [number, number][] = []
  const take = ({ startSample, samples: its }: { startSample: number; samples: Int16Array }): void => {
    expect(its).toEqual(samples.slice(startSample, startSample + its.length))
    found.push([startSample / 16_000, (startSample + its.length) / 16_000])
  }
  for (let at = 0; at < samples.length; at += chunk) {
    for await (const utterance of cutter.push(samples.subarray(at, at + chunk))) take(utterance)
  }
  const last = cutter.end()
  if (last !== undefined) take(last)
  return found
}

const FRAME = DETECTOR_FRAME_SAMPLES / 16_000

describe('utterances', () => {
  test('have the speech with a margin, and no long silence', async () => {
    const [utterance, ...others] = await cuts(sound([2, 0], [1, 100], [3, 0]))
    expect(others).toEqual([])
    expect(utterance?.[0]).toBeGreaterThan(2 - 0.3)
    expect(utterance?.[0]).toBeLessThanOrEqual(2)
    expect(utterance?.[1]).toBeGreaterThanOrEqual(3)
    expect(utterance?.[1]).toBeLessThan(3.4)
  })

  test('are the same in chunks of any size', async () => {
    const samples = sound([0.4, 0], [1, 100], [2, 0], [40, 60], [1.3, 0], [0.5, 100])
    const whole = await cuts(samples)
    expect(await cuts(samples, 777)).toEqual(whole)
    expect(await cuts(samples, 8000)).toEqual(whole)
  })

  test('end at a pause', async () => {
    const found = await cuts(sound([1, 100], [2, 0], [1, 100], [2, 0], [1, 100]))
    expect(found.map(([start]) => Math.round(start))).toEqual([0, 3, 6])
  })

  test('are at most as long as the limit, without a gap, when nobody pauses', async () => {
    const found = await cuts(sound([60, 100]), undefined, { maxSeconds: 20 })
    expect(found.length).toBeGreaterThanOrEqual(3)
    expect(Math.max(...found.map(([start, end]) => end - start))).toBeLessThanOrEqual(20 + FRAME)
    expect(found.map(([start]) => start)).toEqual([0, ...found.map(([, end]) => end).slice(0, -1)])
    expect(found.at(-1)?.[1]).toBe(60)
  })

  test('are cut where speech is least likely when nobody pauses', async () => {
    const [, second] = await cuts(sound([6, 100], [0.3, 0], [14, 100], [0.2, 40], [20, 100]), undefined, {
      maxSeconds: 20,
    })
    expect(second?.[1]).toBeGreaterThan(20.2)
    expect(second?.[1]).toBeLessThan(20.6)
  })

  test('begin with a short one: after six seconds a short pause ends it', async () => {
    const [first, second] = await cuts(sound([7, 100], [0.3, 0], [12, 100], [0.3, 0], [10, 100]))
    expect(first?.[1]).toBeLessThan(7.4)
    expect(second?.[1]).toBeGreaterThan(19)
    const [longest] = await cuts(sound([30, 100]))
    expect(longest?.[1]).toBeLessThanOrEqual(10 + FRAME)
  })

  test('need more than a click', async () => {
    expect(await cuts(sound([1, 0], [0.05, 100], [2, 0]))).toEqual([])
  })

  test('of silence do not exist', async () => {
    expect(await cuts(sound([120, 0]))).toEqual([])
    expect(await cuts(new Int16Array(0), 1)).toEqual([])
  })
})
