import { describe, expect, test } from 'vitest'
import {
  besidePause,
  hasPauses,
  hidePauses,
  pauseOutOfRange,
  splitPauses,
  unfinishedPause,
  withoutPauses,
} from './pauses.ts'
import * as fc from 'fast-check'

const input = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '[pause ',
        's]',
        '[',
        ']',
        '[pause 1.5s]',
        '[pause 0.05s]',
        '[pause 3s]',
        '[pause s]',
        '[pause 1.s]',
      ),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''))

describe('interface: inline pause marker [pause X.Ys]', () => {
  test('the parts of any input are the input', () => {
    fc.assert(
      fc.property(input, (text) => {
        const parts = splitPauses(text)
        expect(parts.map((part) => (part.type === 'text' ? part.text : part.marker)).join('')).toBe(text)
        expect(parts.every((part) => (part.type === 'text' ? part.text !== '' && !hasPauses(part.text) : true))).toBe(
          true,
        )
        expect(hasPauses(text)).toBe(parts.some((part) => part.type === 'pause'))
      }),
      { numRuns: 1000 },
    )
  })

  test('markers and text alternate in order', () => {
    expect(splitPauses('One.[pause 1.5s][pause 2s] Two.')).toEqual([
      { type: 'text', text: 'One.' },
      { type: 'pause', seconds: 1.5, marker: '[pause 1.5s]' },
      { type: 'pause', seconds: 2, marker: '[pause 2s]' },
      { type: 'text', text: ' Two.' },
    ])
    expect(splitPauses('')).toEqual([])
  })

  test.each([
    '[pause]',
    '[pause 1]',
    '[pause -1s]',
    '[pause 1,5s]',
    '[PAUSE 1s]',
    '[pause 1 s]',
    '[pause  1s]',
    '[pause .5s]',
  ])('%s is text', (text) => {
    expect(hasPauses(text)).toBe(false)
  })
})

// rules: speech.pause-range
describe('interface: Limits, 0.1 to 10.0 seconds', () => {
  test.each(['[pause 0.1s]', '[pause 10.0s]', '[pause 10s]', '[pause 1s]', 'no marker'])('%s is in range', (text) => {
    expect(pauseOutOfRange(text)).toBeUndefined()
  })

  test.each([
    '[pause 0.0s]',
    '[pause 0.09s]',
    '[pause 10.1s]',
    '[pause 10.01s]',
    '[pause 0s]',
    `[pause ${'9'.repeat(400)}s]`,
  ])('%s is not', (marker) => {
    expect(pauseOutOfRange(`One. [pause 1s] Two. ${marker} Three. [pause 99s]`)).toBe(marker)
  })
})

describe('markers', () => {
  test('markers are hidden without moving other characters', () => {
    expect(hidePauses('a[pause 1s]b [pause 10.0s] [pause] c', '.')).toBe('a..........b ............. [pause] c')
  })

  test('markers are not cut', () => {
    const text = 'ab[pause 1s]cd'
    expect([1, 2, 3, 11, 12, 13].map((cut) => besidePause(text, cut))).toEqual([1, 2, 2, 2, 12, 13])
    expect(besidePause('[pause 1s]', 5)).toBe(10)
  })

  test.each(['[', '[p', '[pause', '[pause ', '[pause 1', '[pause 10.', '[pause 10.5', '[pause 1s'])(
    '%s may become one',
    (tail) => {
      expect(unfinishedPause(`Hi. ${tail}`)).toBe(4)
    },
  )

  test.each(['', '[]', '[x', '[pause x', '[pause 1s]', '[pause 1s ', '[pause 1234567890', '[pause 1.s'])(
    '%s will not',
    (tail) => {
      const text = `Hi. ${tail}`
      expect(unfinishedPause(text)).toBe(tail === '[pause 1.s' ? 4 : text.length)
    },
  )

  test('markers do not show in captions', () => {
    expect(withoutPauses('[pause 1s] One, [pause 0.5s] two.[pause 2s]Three [pause 3s]')).toBe('One, two.Three')
    expect(withoutPauses('None [pause].')).toBe('None [pause].')
  })
})
