import { describe, expect, test } from 'vitest'

import { signal, sine, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { pitchOf, PITCH_SAMPLES } from './pitch.ts'

const SECONDS = PITCH_SAMPLES / 16_000

const semitones = (hertz: number | undefined, expected: number): number => 12 * Math.log2((hertz ?? 0) / expected)

/** A buzz with the overtones of a voice. */
const buzz = (hertz: number, second: number): number =>
  [1, 2, 3, 4, 5, 6].reduce((sum, overtone) => sum + sine(hertz * overtone, second) / (4 * overtone), 0)

describe('pitch', () => {
  test.each([70, 85, 110, 150, 220, 300, 390])('of a buzz of %d Hz is right to a quarter of a semitone', (hertz) => {
    const pitch = pitchOf(signal(SECONDS, (second) => buzz(hertz, second)))
    expect(Math.abs(semitones(pitch, hertz))).toBeLessThan(0.25)
  })

  test('is the voice’s when its first overtone is the strongest', () => {
    const pitch = pitchOf(signal(SECONDS, (second) => 0.25 * sine(120, second) + 0.6 * sine(240, second)))
    expect(Math.abs(semitones(pitch, 120))).toBeLessThan(0.25)
  })

  test('is the same for a soft voice', () => {
    const loud = pitchOf(signal(SECONDS, (second) => buzz(140, second)))
    const soft = pitchOf(signal(SECONDS, (second) => 0.02 * buzz(140, second)))
    expect(semitones(soft, loud ?? 0)).toBeCloseTo(0, 1)
  })

  test('survives hiss a tenth as loud', () => {
    const hiss = whiteNoise()
    const pitch = pitchOf(signal(SECONDS, (second) => buzz(100, second) + 0.05 * hiss()))
    expect(Math.abs(semitones(pitch, 100))).toBeLessThan(0.3)
  })

  test('is absent in noise and silence', () => {
    const hiss = whiteNoise()
    expect(pitchOf(signal(SECONDS, () => 0.5 * hiss()))).toBeUndefined()
    expect(pitchOf(new Int16Array(PITCH_SAMPLES))).toBeUndefined()
  })
})
