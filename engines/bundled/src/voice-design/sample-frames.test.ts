import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buzz, chunksOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { PITCH_SAMPLES } from './pitch.ts'
import { FRAME_SAMPLES, sampleFrames } from './sample-frames.ts'

interface Copied {
  readonly first: number
  readonly middle: number
  readonly length: number
  readonly energy: number
}

async function framesOf(pcm: AsyncIterable<Uint8Array>): Promise<Copied[]> {
  const frames: Copied[] = []
  for await (const { around, energy } of sampleFrames(pcm)) {
    frames.push({ first: around[0] ?? NaN, middle: around[400] ?? NaN, length: around.length, energy })
  }
  return frames
}

describe('sampleFrames', () => {
  test('yields a frame every 10 ms, except for the last 30 ms', async () => {
    const frames = await framesOf(chunksOf(buzz(120, 2)))
    expect(frames.length).toBeGreaterThanOrEqual(196)
    expect(frames.length).toBeLessThanOrEqual(200)
    expect(frames.every(({ length }) => length === PITCH_SAMPLES)).toBe(true)
  })

  test('a frame is in the middle of its samples, and silence precedes the first', async () => {
    const pcm = Buffer.alloc(8000)
    for (let index = 0; index < pcm.length / 2; index += 1) pcm.writeInt16LE(index + 1, 2 * index)
    const [first, , , fourth] = await framesOf(chunksOf(pcm))
    const before = (PITCH_SAMPLES - FRAME_SAMPLES) / 2
    expect(first).toMatchObject({ first: 0, middle: 400 - before + 1 })
    expect(fourth).toMatchObject({ first: 3 * FRAME_SAMPLES - before + 1 })
  })

  test('chunk borders have no effect, even within a sample', async () => {
    const pcm = buzz(180, 0.3, 5)
    const whole = await framesOf(chunksOf(pcm))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5000 }), async (size) => {
        expect(await framesOf(chunksOf(pcm, size))).toEqual(whole)
      }),
      { numRuns: 20 },
    )
  })

  test('half a sample at the end is ignored', async () => {
    const pcm = buzz(180, 0.3)
    expect(await framesOf(chunksOf(Buffer.concat([pcm, Buffer.from([1])])))).toEqual(await framesOf(chunksOf(pcm)))
  })

  test('no audio has no frames', async () => {
    expect(await framesOf(chunksOf(new Uint8Array(0)))).toEqual([])
    expect(await framesOf(chunksOf(new Uint8Array(100)))).toEqual([])
  })

  test('the energy is that of vowels, with little hum and hiss', async () => {
    const energyAt = async (hertz: number): Promise<number> => {
      const pcm = Buffer.alloc(16_000)
      for (let index = 0; index < 8000; index += 1) {
        pcm.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * hertz * index) / 16_000)), 2 * index)
      }
      return (await framesOf(chunksOf(pcm))).at(-1)?.energy ?? NaN
    }
    const vowel = await energyAt(800)
    expect(vowel / (await energyAt(50))).toBeGreaterThan(20)
    expect(vowel / (await energyAt(7000))).toBeGreaterThan(20)
  })
})
