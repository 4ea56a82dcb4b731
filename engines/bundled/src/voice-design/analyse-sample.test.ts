import { describe, expect, test } from 'vitest'
import { buzz, chunksOf, noise } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { analyseSample } from './analyse-sample.ts'
import { UnusableSampleError } from '@svc-audio/engine-ports'

const LIMITS = { minSeconds: 1, maxSeconds: 10 }
const analyse = (pcm: Uint8Array, size?: number): ReturnType<typeof analyseSample> =>
  analyseSample(chunksOf(pcm, size), LIMITS)

describe('analyseSample', () => {
  test.each([80, 120, 180, 250, 340])('finds a constant pitch of %d Hz', async (pitch) => {
    const traits = await analyse(buzz(pitch, 3, 4))
    expect(Math.abs(traits.pitchHz / pitch - 1)).toBeLessThan(0.01)
    expect(traits.rangeSemitones).toBeLessThan(0.2)
  })

  test('the range is the standard deviation of the pitch in semitones', async () => {
    const notes = [-3, -1.5, 0, 1.5, 3].map((semitones) => buzz(150 * 2 ** (semitones / 12), 1, 4))
    const { pitchHz, rangeSemitones } = await analyse(Buffer.concat(notes))
    expect(pitchHz / 150).toBeCloseTo(1, 1)
    expect(rangeSemitones).toBeGreaterThan(1.5)
    expect(rangeSemitones).toBeLessThan(3.2)
  })

  test('more bursts make a faster voice', async () => {
    const slow = await analyse(buzz(140, 4, 3))
    const fast = await analyse(buzz(140, 4, 5))
    expect(fast.syllablesPerSecond / slow.syllablesPerSecond).toBeGreaterThan(1.5)
  })

  test('chunk sizes have no effect', async () => {
    const pcm = buzz(160, 2, 4)
    expect(await analyse(pcm, 777)).toEqual(await analyse(pcm))
  })

  test('noise before and after the voice has no effect', async () => {
    const quiet = noise(1)
    for (let at = 0; at < quiet.length; at += 2) quiet.writeInt16LE(Math.round(quiet.readInt16LE(at) / 50), at)
    const { pitchHz } = await analyse(Buffer.concat([quiet, buzz(160, 3, 4), quiet]))
    expect(Math.abs(pitchHz / 160 - 1)).toBeLessThan(0.01)
  })

  const unusable: [what: string, pcm: Uint8Array, words: string][] = [
    ['nothing', new Uint8Array(0), 'shorter than 1 s'],
    ['too short', buzz(150, 0.97, 4), 'shorter than 1 s'],
    ['too long', buzz(150, 10.1, 4), 'longer than 10 s'],
    ['silence', new Uint8Array(64_000), 'no voice'],
    ['noise', noise(2), 'no voice'],
    ['a click', Buffer.concat([buzz(150, 0.1), Buffer.alloc(64_000)]), 'no voice'],
  ]
  test.each(unusable)('%s is unusable', async (_what, pcm, words) => {
    const failed = analyse(pcm)
    await expect(failed).rejects.toBeInstanceOf(UnusableSampleError)
    await expect(failed).rejects.toThrow(words)
  })

  test('exactly the shortest and the longest length are accepted', async () => {
    await expect(analyse(buzz(150, 1, 4))).resolves.toMatchObject({ pitchHz: expect.any(Number) })
    await expect(analyse(buzz(150, 10, 4))).resolves.toMatchObject({ pitchHz: expect.any(Number) })
  })

  test('a sample that is too long is not read to its end, and its source is closed', async () => {
    let read = 0
    let left = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          read += 1
          yield new Uint8Array(32_000)
        }
      } finally {
        left = true
      }
    }
    await expect(analyseSample(endless(), LIMITS)).rejects.toThrow('longer than 10 s')
    expect(read).toBeLessThan(13)
    expect(left).toBe(true)
  })

  test('an error of the source is thrown unchanged', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield buzz(150, 1)
      throw new RangeError('broken')
    }
    await expect(analyseSample(broken(), LIMITS)).rejects.toThrow(RangeError)
  })
})
