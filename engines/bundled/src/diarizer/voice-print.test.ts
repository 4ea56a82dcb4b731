import { describe, expect, test } from 'vitest'

import { speak, type DesignedVoice } from '../../test/diarization/voices.ts'
import { joined, signal, sine, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { WINDOW_SAMPLES } from './timbre.ts'
import { VoicePrinter } from './voice-print.ts'

const printer = new VoicePrinter()
const TEXT = 'The old bridge was closed because of the heavy rain.'

const voice = (base: DesignedVoice['base'], pitch: number): DesignedVoice => ({ base, pitch, stretch: 1 })

describe('the print of a voice', () => {
  test.each([
    voice('slt', 130),
    voice('slt', 210),
    voice('awb', 100),
    voice('awb', 165),
    voice('kal16', 82),
    voice('kal16', 140),
    voice('rms', 101),
  ])('has the pitch of $base at $pitch Hz', async ({ base, pitch }) => {
    const print = printer.take((await speak(voice(base, pitch), TEXT)).samples)
    // Flite's means are off by up to a semitone.
    expect(Math.abs(12 * Math.log2(Math.exp(print?.logPitch ?? 0) / pitch))).toBeLessThan(1.5)
  })

  test('counts the seconds of sound, without silence', async () => {
    const { samples } = await speak(voice('rms', 101), TEXT)
    const alone = printer.take(samples)
    const padded = printer.take(joined([new Int16Array(16_000), samples, new Int16Array(16_000)]))
    expect(alone?.seconds).toBeGreaterThan(1)
    expect(alone?.seconds).toBeLessThanOrEqual(samples.length / 16_000)
    expect(padded?.seconds).toBeCloseTo(alone?.seconds ?? 0, 0)
  })

  test('has no pitch without a voice', () => {
    const hiss = whiteNoise()
    const print = printer.take(signal(1, () => 0.3 * hiss()))
    expect(print).toMatchObject({ logPitch: undefined })
    expect(print?.seconds).toBeCloseTo(0.97)
  })

  test('has no pitch with too few measured pitches', () => {
    expect(printer.take(signal(0.1, (second) => 0.5 * sine(150, second)))).toMatchObject({ logPitch: undefined })
  })

  test('of a steady tone has finite numbers', () => {
    const print = printer.take(signal(1, (second) => 0.5 * sine(250, second)))
    for (const variance of print?.variance ?? []) expect(Math.log(variance)).toBeGreaterThan(-20)
    expect(Math.exp(print?.logPitch ?? 0)).toBeCloseTo(250, 0)
  })

  test('of digital silence is finite', () => {
    const print = printer.take(new Int16Array(16_000))
    expect(print?.timbre.every(Number.isFinite)).toBe(true)
    expect(print?.logPitch).toBeUndefined()
  })

  test('needs at least one window', () => {
    expect(printer.take(new Int16Array(0))).toBeUndefined()
    expect(printer.take(new Int16Array(WINDOW_SAMPLES - 1))).toBeUndefined()
    expect(printer.take(new Int16Array(WINDOW_SAMPLES))?.seconds).toBe(0.01)
  })
})
