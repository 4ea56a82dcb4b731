import { ConfigurationError } from '@svc-audio/core'
import { describe, expect, test } from 'vitest'
import { MelodyMeasure, Spectrum } from './melody-measure.ts'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

type Wave = (second: number) => number

/** A sound of so many seconds, as PCM. */
function record(seconds: number, wave: Wave, sampleRate = FORMAT.sampleRate): Uint8Array {
  const samples = Int16Array.from(
    { length: Math.round(seconds * sampleRate) },
    (_, index) => Math.max(-1, Math.min(1, wave(index / sampleRate))) * 0x7f_ff,
  )
  return new Uint8Array(samples.buffer)
}

/** Whether sounds, one behind the other, are a melody. The pieces are of an odd size. */
function isMelody(pcm: readonly Uint8Array[], sampleRate = FORMAT.sampleRate): boolean {
  const measure = new MelodyMeasure({ ...FORMAT, sampleRate })
  const all = Buffer.concat([record(0.3, room, sampleRate), ...pcm, record(0.6, room, sampleRate)])
  for (let at = 0; at < all.byteLength; at += 641) measure.push(all.subarray(at, at + 641))
  return measure.isMelody
}

/** Noise that is the same at each run. */
function noise(): () => number {
  let seed = 7
  return () => (seed = (seed * 16_807) % 2_147_483_647) / 1_073_741_823 - 1
}

const hiss = noise()
const room: Wave = () => hiss() * 0.003

/** Harmonics of a fundamental in hertz, the first the strongest. */
const tone = (hertz: number, harmonics: number, fall = 1): Wave => {
  const all = Array.from({ length: harmonics }, (_, index) => index + 1)
  return (second) =>
    all.reduce((sum, harmonic) => sum + Math.sin(2 * Math.PI * hertz * harmonic * second) / harmonic ** fall, 0) * 0.2
}

/** Notes of an instrument, one behind the other. */
const tune = (instrument: (hertz: number) => Wave, noteSeconds = 0.3, sampleRate = FORMAT.sampleRate): Uint8Array[] =>
  [262, 294, 330, 349, 392, 392, 440, 440].map((hertz) => {
    const wave = instrument(hertz)
    const envelope: Wave = (second) => Math.min(1, second / 0.01, (noteSeconds - second) / 0.03)
    return record(noteSeconds, (second) => wave(second) * envelope(second), sampleRate)
  })

/** First and second formant of vowels, in hertz. */
const VOWELS = [
  [700, 1200],
  [300, 2300],
  [350, 800],
  [550, 1800],
  [450, 1000],
] as const

/**
 * A voice: consonants of noise, and vowels that glide into each other. The harmonics near a formant are loud, and the
 * pitch falls and rises.
 */
const voice: Wave = (() => {
  const breath = noise()
  return (second) => {
    const place = second / 0.16
    const part = place % 1
    if (part < 0.3) return breath() * 0.12
    const [from, to] = [VOWELS[Math.floor(place) % VOWELS.length], VOWELS[Math.floor(place + 1) % VOWELS.length]]
    const formants = [0, 1].map((index) => (from?.[index] ?? 0) * (1 - part) + (to?.[index] ?? 0) * part)
    // The phase is the integral of a pitch around 120 Hz.
    const phase = 2 * Math.PI * (120 * second - 3 * Math.cos(2 * Math.PI * second * 0.9))
    let sum = 0
    for (let harmonic = 1; harmonic < 30; harmonic += 1) {
      const near = formants.reduce((max, formant) => max + Math.exp(-(((harmonic * 120 - formant) / 150) ** 2)), 0.02)
      sum += Math.sin(harmonic * phase) * near
    }
    return sum * 0.1
  }
})()

describe('melodies', () => {
  test.each<[name: string, instrument: (hertz: number) => Wave]>([
    ['sine tones', (hertz) => tone(hertz, 1)],
    ['an instrument with many harmonics', (hertz) => tone(hertz, 12)],
    ['a hum', (hertz) => tone(hertz / 2, 4, 2)],
    ['chords', (hertz) => (second) => [1, 1.26, 1.5].reduce((sum, of) => sum + tone(hertz * of, 3)(second), 0) / 3],
    [
      'tones with vibrato',
      (hertz) => (second) => tone(hertz, 12)(second + 0.0008 * Math.sin(2 * Math.PI * 5.3 * second)),
    ],
    ['a plucked string', (hertz) => (second) => tone(hertz, 10)(second) * Math.exp(-second * 6)],
    [
      'a whistle that glides from note to note',
      (hertz) => (second) => Math.sin(2 * Math.PI * hertz * 3 * (second + 0.2 * second ** 2)) * 0.4,
    ],
  ])('%s are a melody', (_name, instrument) => {
    expect(isMelody(tune(instrument, 0.4))).toBe(true)
  })

  test('a tone that is held is a melody', () => {
    expect(isMelody([record(2, tone(220, 8))])).toBe(true)
  })

  test('the rate of the microphone does not matter', () => {
    expect(
      isMelody(
        tune((hertz) => tone(hertz, 6), 0.3, 48_000),
        48_000,
      ),
    ).toBe(true)
    expect(isMelody([record(2, voice, 48_000)], 48_000)).toBe(false)
  })
})

describe('sounds that may be speech are no melody', () => {
  test('a voice', () => {
    expect(isMelody([record(2, voice)])).toBe(false)
  })

  test('a voice behind a melody, and a melody behind a voice', () => {
    expect(isMelody([...tune((hertz) => tone(hertz, 6)), record(1.2, voice)])).toBe(false)
    expect(isMelody([record(1.2, voice), ...tune((hertz) => tone(hertz, 6))])).toBe(false)
  })

  test('a voice over soft music', () => {
    const music = tone(262, 6)
    expect(isMelody([record(2, (second) => voice(second) + music(second) * 0.1)])).toBe(false)
  })

  test('a sound as short as a word', () => {
    expect(isMelody([record(0.3, tone(220, 6))])).toBe(false)
  })

  test('noise and silence', () => {
    expect(isMelody([record(2, (second) => hiss() * Math.abs(Math.sin(9 * second)))])).toBe(false)
    expect(isMelody([new Uint8Array(64_000)])).toBe(false)
    expect(new MelodyMeasure(FORMAT).isMelody).toBe(false)
  })
})

test('the verdict is about the sound so far', () => {
  const measure = new MelodyMeasure(FORMAT)
  measure.push(record(1.5, tone(220, 8)))
  expect(measure.isMelody).toBe(true)
  measure.push(record(1.5, voice))
  expect(measure.isMelody).toBe(false)
})

test.each<[message: string, format: object]>([
  ['`sampleRate` must be an integer of at least 8000 of hertz', { ...FORMAT, sampleRate: 4000 }],
  ['`channels` must be 1', { ...FORMAT, channels: 2 }],
  ['`bitDepth` must be 16', { ...FORMAT, bitDepth: 24 }],
])('a format that cannot be measured is refused: %s', (message, format) => {
  const make = (): unknown => new MelodyMeasure(format as typeof FORMAT)
  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(message)
})

/** The power by its definition, through the same window. */
function slowPowers(samples: Float32Array): number[] {
  const size = samples.length
  return Array.from({ length: size / 2 + 1 }, (_, bin) => {
    let [real, imaginary] = [0, 0]
    for (const [index, sample] of samples.entries()) {
      const seen = sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * index) / size))
      real += seen * Math.cos((2 * Math.PI * bin * index) / size)
      imaginary -= seen * Math.sin((2 * Math.PI * bin * index) / size)
    }
    return real ** 2 + imaginary ** 2
  })
}

test.each([2, 8, 64])('the spectrum of %d samples equals the definition, also when it is used again', (size) => {
  const spectrum = new Spectrum(size)
  const powers = new Float64Array(size / 2 + 1)
  for (const factor of [0.3, 1.7]) {
    const samples = Float32Array.from({ length: size }, (_, index) => Math.sin(index * index * factor))
    spectrum.measure(samples, powers)
    for (const [bin, power] of slowPowers(samples).entries()) expect(powers[bin]).toBeCloseTo(power, 9)
  }
})
