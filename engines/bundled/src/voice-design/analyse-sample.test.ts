import { UnusableSampleError } from '@svc-audio/engine-ports'
import { buzz, chunksOf, noise } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { describe, expect, test } from 'vitest'
import {
  analyseSample,
  FRAME_SAMPLES,
  PITCH_SAMPLES,
  pitchOf,
  quantile,
  sampleFrames,
  speechFloor,
  syllableRate,
  toDecibels,
} from './analyse-sample.ts'
import * as fc from 'fast-check'

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

function pitchAt(pcm: Buffer, from = 0): number | undefined {
  const samples = Int16Array.from({ length: PITCH_SAMPLES }, (_, index) => pcm.readInt16LE(2 * (from + index)))
  return pitchOf(samples)
}

describe('pitchOf', () => {
  test.each([58, 75, 90, 103.3, 130, 166, 210, 262, 310, 400, 470])('finds %d Hz within 1 %%', (pitch) => {
    for (const from of [0, 37, 1200]) {
      const found = pitchAt(buzz(pitch, 0.2), from)
      expect(Math.abs((found ?? 0) / pitch - 1)).toBeLessThan(0.01)
    }
  })

  test('finds the pitch of a pure tone', () => {
    const pcm = Buffer.alloc(PITCH_SAMPLES * 2)
    for (let index = 0; index < PITCH_SAMPLES; index += 1) {
      pcm.writeInt16LE(Math.round(10_000 * Math.sin((2 * Math.PI * 180 * index) / 16_000)), 2 * index)
    }
    expect(pitchAt(pcm)).toBeCloseTo(180, 0)
  })

  test('weaker second pulses do not cause an octave error', () => {
    const pcm = buzz(150, 0.2)
    const weak = buzz(75, 0.2)
    for (let index = 0; index < pcm.length / 2; index += 1) {
      pcm.writeInt16LE(Math.round(pcm.readInt16LE(2 * index) * 0.9 + weak.readInt16LE(2 * index) * 0.08), 2 * index)
    }
    expect(pitchAt(pcm)).toBeCloseTo(150, -0.5)
  })

  test('noise and silence have no pitch', () => {
    for (const from of [0, 1000, 2000]) expect(pitchAt(noise(0.2), from)).toBeUndefined()
    expect(pitchAt(Buffer.alloc(PITCH_SAMPLES * 2))).toBeUndefined()
  })

  test('a constant offset has no pitch', () => {
    expect(pitchOf(new Int16Array(PITCH_SAMPLES).fill(1000))).toBeUndefined()
  })

  test('loudness has no effect', () => {
    const quiet = buzz(140, 0.2)
    for (let at = 0; at < quiet.length; at += 2) quiet.writeInt16LE(Math.round(quiet.readInt16LE(at) / 100), at)
    expect(Math.abs((pitchAt(quiet) ?? 0) / 140 - 1)).toBeLessThan(0.01)
  })
})

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

/** Loudness of bursts, in energies of 10 ms. */
function bursts(perSecond: number, seconds: number): number[] {
  return Array.from({ length: seconds * 100 }, (_, index) => {
    const wave = 0.5 - 0.5 * Math.cos((2 * Math.PI * perSecond * index) / 100)
    return 1_000_000 * (0.02 + wave)
  })
}

/** Returns `count` equal values. */
const level = (length: number, value: number): number[] => Array.from({ length }, () => value)

const rateOf = (energies: readonly number[], voiced = energies.map(() => true)): number =>
  syllableRate({ energies, voiced })

describe('syllableRate', () => {
  test('3.9 peaks a second are 4.6 syllables, as measured', () => {
    expect(rateOf(bursts(3.9, 20))).toBeGreaterThan(4.4)
    expect(rateOf(bursts(3.9, 20))).toBeLessThan(4.8)
  })

  test('syllables grow faster than peaks', () => {
    const [slow, middle, fast] = [rateOf(bursts(3, 20)), rateOf(bursts(4, 20)), rateOf(bursts(6, 20))]
    expect(middle / slow).toBeGreaterThan(4 / 3)
    expect(fast / middle).toBeGreaterThan(6 / 4)
  })

  test('long pauses do not count', () => {
    const silence = level(300, 0)
    const paused = [...bursts(4, 6), ...silence, ...bursts(4, 6), ...silence]
    expect(rateOf(paused) / rateOf(bursts(4, 12))).toBeGreaterThan(0.93)
    expect(rateOf(paused) / rateOf(bursts(4, 12))).toBeLessThan(1.07)
  })

  test('peaks without a pitch are no syllables', () => {
    const energies = bursts(4, 10)
    expect(
      rateOf(
        energies,
        energies.map(() => false),
      ),
    ).toBe(0)
    const half = rateOf(
      energies,
      energies.map((_, index) => index < 500),
    )
    expect(half).toBeLessThan(rateOf(energies) * 0.45)
  })

  test('quiet peaks in a pause are no syllables', () => {
    const quiet = bursts(4, 3).map((energy) => energy / 10_000)
    expect(rateOf([...bursts(4, 6), ...quiet])).toBeCloseTo(rateOf([...bursts(4, 6), ...level(300, 0)]), 1)
  })

  test('overall loudness has no effect', () => {
    const energies = bursts(5, 10)
    expect(rateOf(energies.map((energy) => energy / 50))).toBeCloseTo(rateOf(energies), 1)
  })

  test('silence has no rate', () => {
    expect(rateOf([])).toBeNaN()
  })
})

test('in decibels, silence is 0 and tenfold energy adds 10', () => {
  expect(toDecibels(0)).toBe(0)
  expect(toDecibels(1e6) - toDecibels(1e5)).toBeCloseTo(10, 3)
})

test('the floor of speech is 25 dB under its loud parts', () => {
  expect(speechFloor([...level(50, 10), ...level(50, 70)])).toBe(45)
})

test('a quantile has its share of the values below it', () => {
  const values = [5, 1, 4, 2, 3]
  expect(quantile(values, 0)).toBe(1)
  expect(quantile(values, 0.5)).toBe(3)
  expect(quantile(values, 1)).toBe(5)
  expect(quantile(values, 0.625)).toBe(3.5)
  expect(values).toEqual([5, 1, 4, 2, 3])
})

test('every quantile of one value is that value, and of no values NaN', () => {
  expect(quantile([7], 0.84)).toBe(7)
  expect(quantile([], 0.5)).toBeNaN()
})
