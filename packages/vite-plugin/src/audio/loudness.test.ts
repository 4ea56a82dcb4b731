import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wavOf } from '@svc-audio/kit/hosts/audio-files'
import { readWav } from '@svc-audio/core/audio'
import { integratedLoudness, toLoudness } from './loudness.ts'
import { toSamples } from './wav.ts'

/** A sine of a level in dBFS. */
function sine(seconds: number, decibels: number, { hertz = 1000, sampleRate = 48_000, channels = 1 } = {}): Int16Array {
  const peak = 32_767 * 10 ** (decibels / 20)
  return Int16Array.from({ length: seconds * sampleRate * channels }, (_, index) =>
    Math.round(peak * Math.sin((2 * Math.PI * hertz * Math.floor(index / channels)) / sampleRate)),
  )
}

const file = (samples: Int16Array): Uint8Array => wavOf([...samples])
const samplesOf = (wav: Uint8Array): Int16Array => toSamples(readWav(wav)?.samples ?? new Uint8Array(0))
const MONO = { sampleRate: 16_000, channels: 1 }

describe('loudness, by the test signals of EBU Tech 3341', () => {
  const stereo = { sampleRate: 48_000, channels: 2 }
  const at = (...parts: readonly (readonly [number, number])[]): number | undefined =>
    integratedLoudness(
      Int16Array.from(parts.flatMap(([seconds, level]) => Array.from(sine(seconds, level, stereo)))),
      stereo,
    )

  test('case 1: a sine of -23 dBFS in both channels is -23 LUFS', () => {
    expect(at([20, -23])).toBeCloseTo(-23, 1)
  })

  test('case 2: one of -33 dBFS is -33 LUFS', () => {
    expect(at([20, -33])).toBeCloseTo(-33, 1)
  })

  test('case 3: quiet parts 13 dB below the others do not count', () => {
    expect(at([10, -36], [60, -23], [10, -36])).toBeCloseTo(-23, 1)
  })

  test('case 4: neither does silence', () => {
    expect(at([10, -72], [10, -36], [60, -23], [10, -36], [10, -72])).toBeCloseTo(-23, 1)
  })

  test('a rate of speech measures the same as 48 kHz', () => {
    for (const sampleRate of [8000, 16_000, 22_050, 44_100])
      expect(integratedLoudness(sine(5, -20, { sampleRate }), { sampleRate, channels: 1 })).toBeCloseTo(-23, 0)
  })

  test('silence and a very short sound have none', () => {
    expect(integratedLoudness(new Int16Array(48_000), MONO)).toBeUndefined()
    expect(integratedLoudness(sine(0.3, -20, MONO), MONO)).toBeUndefined()
  })
})

describe('a file', () => {
  test('is brought to a loudness', () => {
    for (const level of [-40, -25, -10]) {
      const wav = file(sine(2, level, MONO))
      toLoudness(wav, -16)
      expect(integratedLoudness(samplesOf(wav), MONO)).toBeCloseTo(-16, 1)
    }
  })

  test('of silence stays as it is, and so does another format', () => {
    for (const bytes of [file(new Int16Array(16_000)), Buffer.from('no audio')]) {
      const before = Buffer.from(bytes)
      toLoudness(bytes, -16)
      expect(Buffer.compare(bytes, before)).toBe(0)
    }
  })

  test('has no sample above -1 dBFS, wherever its peaks are', () => {
    const loudest = Math.ceil(32_767 * 10 ** (-1 / 20))
    fc.assert(
      fc.property(fc.array(fc.nat(31_999), { maxLength: 40 }), fc.integer({ min: -30, max: -10 }), (peaks, lufs) => {
        const samples = sine(2, -30, MONO)
        for (const at of peaks) samples[at] = at % 2 === 0 ? 32_767 : -32_768
        const wav = file(samples)
        toLoudness(wav, lufs)
        expect(samplesOf(wav).reduce((max, sample) => Math.max(max, Math.abs(sample)), 0)).toBeLessThanOrEqual(loudest)
      }),
      { seed: 128, numRuns: 40 },
    )
  })
})
