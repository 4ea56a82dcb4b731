import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasPauses, pauseOutOfRange, splitPauses } from './pauses.ts'

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
