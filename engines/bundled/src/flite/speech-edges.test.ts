import { describe, expect, test } from 'vitest'

import { speechSpan, trimEdges } from './speech-edges.ts'

describe('speechSpan', () => {
  test('speech lies between the first and the last silence', () => {
    expect(speechSpan('pau:0.119 hh:0.212 ow:0.582 pau:0.7 l:0.8 pau:1.010 \n')).toEqual({
      startSecond: 0.119,
      endSecond: 0.8,
    })
  })

  test('speech without silence at its edges is whole', () => {
    expect(speechSpan('hh:0.212 ow:0.582')).toEqual({ startSecond: 0, endSecond: 0.582 })
  })

  test.each(['pau:0.23 \n', 'pau:0.1 pau:0.2', '', '\n'])('there is no speech in %j', (phones) => {
    expect(speechSpan(phones)).toBeUndefined()
  })
})

describe('trimEdges', () => {
  const constant = (): Int16Array => new Int16Array(16_000).fill(1000)

  test('0.02 s before and 0.06 s after speech remain', () => {
    expect(trimEdges(constant(), { startSecond: 0.2, endSecond: 0.5 }, 1)).toHaveLength(0.38 * 16_000)
  })

  test('the margins follow the speed', () => {
    expect(trimEdges(constant(), { startSecond: 0.2, endSecond: 0.5 }, 2)).toHaveLength(0.46 * 16_000)
    expect(trimEdges(constant(), { startSecond: 0.2, endSecond: 0.5 }, 0.25)).toHaveLength(0.32 * 16_000)
  })

  test('margins start and end in silence, and speech itself is unchanged', () => {
    const trimmed = trimEdges(constant(), { startSecond: 0.2, endSecond: 0.5 }, 1)
    expect(trimmed[0]).toBe(0)
    expect(trimmed[160]).toBe(500)
    expect(trimmed.subarray(320, 320 + 4800).every((sample) => sample === 1000)).toBe(true)
    expect(trimmed[320 + 4800 + 480]).toBe(500)
    expect(trimmed.at(-1)).toBeLessThan(5)
  })

  test('margins end with the audio', () => {
    expect(trimEdges(constant(), { startSecond: 0.01, endSecond: 0.99 }, 1)).toHaveLength(16_000)
    expect(trimEdges(constant(), { startSecond: 0, endSecond: 3 }, 1)).toHaveLength(16_000)
    expect(trimEdges(constant(), { startSecond: 2, endSecond: 3 }, 1).length).toBeLessThanOrEqual(320)
  })
})
