import { type BaseVoice, MANNER_LIMITS } from '@svc-audio/engine-ports'
import { describe, expect, test } from 'vitest'
import { clamp, fitVoice } from './fit-voice.ts'
import * as fc from 'fast-check'

const BASES: readonly BaseVoice[] = [
  { id: 'woman', traits: { timbre: 'female', pitchHz: 180, rangeSemitones: 1, syllablesPerSecond: 5 } },
  { id: 'man', traits: { timbre: 'male', pitchHz: 120, rangeSemitones: 1.5, syllablesPerSecond: 4 } },
  { id: 'robot', traits: { timbre: 'robotic', pitchHz: 90, rangeSemitones: 2, syllablesPerSecond: 5 } },
]

describe('fitVoice', () => {
  test('selects the voice with the nearest pitch in semitones', () => {
    expect(fitVoice({ pitchHz: 90 }, BASES).base).toBe('man')
    expect(fitVoice({ pitchHz: 146 }, BASES).base).toBe('man')
    expect(fitVoice({ pitchHz: 148 }, BASES).base).toBe('woman')
    expect(fitVoice({ pitchHz: 300 }, BASES).base).toBe('woman')
  })

  test('the requested timbre overrides the pitch, and a robot is used only on request', () => {
    expect(fitVoice({ pitchHz: 300, timbre: 'male' }, BASES).base).toBe('man')
    expect(fitVoice({ timbre: 'robotic' }, BASES).base).toBe('robot')
  })

  test('without a voice of the requested timbre, the nearest voice is used', () => {
    expect(fitVoice({ pitchHz: 118, timbre: 'robotic' }, BASES.slice(0, 2)).base).toBe('man')
  })

  test('absent traits are those of the voice', () => {
    expect(fitVoice({ timbre: 'female' }, BASES)).toEqual({
      base: 'woman',
      pitchHz: 180,
      rangeSemitones: 1,
      tempo: 1,
      size: 1,
    })
  })

  test('the tempo is relative to the voice', () => {
    expect(fitVoice({ timbre: 'male', syllablesPerSecond: 5 }, BASES).tempo).toBe(1.25)
    expect(fitVoice({ timbre: 'female', syllablesPerSecond: 4 }, BASES).tempo).toBe(0.8)
  })

  test('high voices are smaller, deep ones bigger, and the others unchanged', () => {
    const sizes = [80, 110, 160, 220, 330].map((pitchHz) => fitVoice({ pitchHz }, BASES).size)
    expect(sizes).toEqual([1.173, 1, 1, 1, 0.8165])
  })

  test('every target stays within the limits', () => {
    const number = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(
        fc.record({ pitchHz: number, rangeSemitones: number, syllablesPerSecond: number, size: number }),
        (target) => {
          const { base: _base, ...manner } = fitVoice(target, BASES)
          expect(Object.keys(manner).toSorted()).toEqual(Object.keys(MANNER_LIMITS).toSorted())
          for (const part of ['pitchHz', 'rangeSemitones', 'tempo', 'size'] as const) {
            const [min, max] = MANNER_LIMITS[part]
            expect(manner[part]).toBeGreaterThanOrEqual(min)
            expect(manner[part]).toBeLessThanOrEqual(max)
          }
        },
      ),
    )
  })

  test('no base voice throws RangeError', () => {
    expect(() => fitVoice({ pitchHz: 100 }, [])).toThrow(RangeError)
  })
})

test('clamp limits a value to its range', () => {
  expect([clamp(0, 1, 2), clamp(1.5, 1, 2), clamp(3, 1, 2)]).toEqual([1, 1.5, 2])
})
