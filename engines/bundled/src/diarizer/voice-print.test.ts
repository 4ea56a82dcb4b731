import { squaredDistance } from '@svc-audio/engine-ports/listening'
import { joined, signal, sine, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { describe, expect, test } from 'vitest'
import { type DesignedVoice, speak } from '../../test/diarization/voices.ts'
import { PITCH_SAMPLES, pitchOf, TIMBRE_SIZE, TimbreMeter, VoicePrinter, WINDOW_SAMPLES } from './voice-print.ts'

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

const SECONDS = WINDOW_SAMPLES / 16_000

const measure = (value: (second: number) => number): Float64Array => new TimbreMeter().measure(signal(SECONDS, value))

/** A buzz through a mouth with one resonance. */
const vowel =
  (formant: number, loudness = 1) =>
  (second: number): number => {
    let sum = 0
    for (let hertz = 120; hertz < 7000; hertz += 120)
      sum += (loudness * sine(hertz, second)) / (10 + ((hertz - formant) / 100) ** 2)
    return sum
  }

describe('timbre', () => {
  test('does not depend on the loudness', () => {
    const difference = squaredDistance(measure(vowel(900)), measure(vowel(900, 0.25)))
    expect(difference).toBeLessThan(0.01)
  })

  test('moves with the mouth', () => {
    const small = squaredDistance(measure(vowel(900)), measure(vowel(950)))
    const large = squaredDistance(measure(vowel(900)), measure(vowel(2000)))
    expect(small).toBeGreaterThan(0)
    expect(large).toBeGreaterThan(10 * small)
  })

  test('has the amount of bass as its first number', () => {
    const [bass = 0] = measure((second) => 0.5 * sine(200, second))
    const [treble = 0] = measure((second) => 0.5 * sine(5000, second))
    expect(bass).toBeGreaterThan(0)
    expect(treble).toBeLessThan(0)
  })

  test('of digital silence is flat', () => {
    const numbers = measure(() => 0)
    expect(numbers).toHaveLength(TIMBRE_SIZE)
    for (const number of numbers) expect(number).toBeCloseTo(0)
  })

  test('does not depend on earlier measurements', () => {
    const meter = new TimbreMeter()
    const first = meter.measure(signal(SECONDS, vowel(700)))
    meter.measure(signal(SECONDS, vowel(2500)))
    expect(meter.measure(signal(SECONDS, vowel(700)))).toEqual(first)
  })
})

const PITCH_SECONDS = PITCH_SAMPLES / 16_000

const semitones = (hertz: number | undefined, expected: number): number => 12 * Math.log2((hertz ?? 0) / expected)

/** A buzz with the overtones of a voice. */
const buzz = (hertz: number, second: number): number =>
  [1, 2, 3, 4, 5, 6].reduce((sum, overtone) => sum + sine(hertz * overtone, second) / (4 * overtone), 0)

describe('pitch', () => {
  test.each([70, 85, 110, 150, 220, 300, 390])('of a buzz of %d Hz is right to a quarter of a semitone', (hertz) => {
    const pitch = pitchOf(signal(PITCH_SECONDS, (second) => buzz(hertz, second)))
    expect(Math.abs(semitones(pitch, hertz))).toBeLessThan(0.25)
  })

  test('is the voice’s when its first overtone is the strongest', () => {
    const pitch = pitchOf(signal(PITCH_SECONDS, (second) => 0.25 * sine(120, second) + 0.6 * sine(240, second)))
    expect(Math.abs(semitones(pitch, 120))).toBeLessThan(0.25)
  })

  test('is the same for a soft voice', () => {
    const loud = pitchOf(signal(PITCH_SECONDS, (second) => buzz(140, second)))
    const soft = pitchOf(signal(PITCH_SECONDS, (second) => 0.02 * buzz(140, second)))
    expect(semitones(soft, loud ?? 0)).toBeCloseTo(0, 1)
  })

  test('survives hiss a tenth as loud', () => {
    const hiss = whiteNoise()
    const pitch = pitchOf(signal(PITCH_SECONDS, (second) => buzz(100, second) + 0.05 * hiss()))
    expect(Math.abs(semitones(pitch, 100))).toBeLessThan(0.3)
  })

  test('is absent in noise and silence', () => {
    const hiss = whiteNoise()
    expect(pitchOf(signal(PITCH_SECONDS, () => 0.5 * hiss()))).toBeUndefined()
    expect(pitchOf(new Int16Array(PITCH_SAMPLES))).toBeUndefined()
  })
})
