import { describe, expect, test } from 'vitest'

import { signal, sine } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { TIMBRE_SIZE, TimbreMeter, WINDOW_SAMPLES } from './timbre.ts'
import { squaredDistance } from './ward.ts'

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
