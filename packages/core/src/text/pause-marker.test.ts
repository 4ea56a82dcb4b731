import { describe, expect, test } from 'vitest'
import { InvalidRequestError } from '../errors.ts'
import { KNOWN_MODELS } from '../wire/models.ts'
import { pauseMarker } from './pause-marker.ts'
import { pauseOutOfRange, splitPauses } from '@svc-audio/text/sentences'

const FLASH = 'svc-tts-1.5-flash'

function fault(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

describe('interface: inline pause marker [pause X.Ys]', () => {
  test.each([
    [0.1, '[pause 0.1s]'],
    [0.5, '[pause 0.5s]'],
    [1, '[pause 1.0s]'],
    [1.26, '[pause 1.3s]'],
    [9.99, '[pause 10.0s]'],
    [10, '[pause 10.0s]'],
  ])('%d seconds', (seconds, marker) => {
    expect(pauseMarker(seconds, FLASH)).toBe(marker)
    expect(splitPauses(marker)).toHaveLength(1)
    expect(pauseOutOfRange(marker)).toBeUndefined()
  })

  test.each([0, 0.09, -1, 10.01, Number.NaN, Infinity])('%d seconds are refused', (seconds) => {
    for (const model of [FLASH, 'svc-tts-of-another-house']) {
      const error = fault(() => pauseMarker(seconds, model))
      expect(error).toBeInstanceOf(InvalidRequestError)
      expect(error).toMatchObject({ code: 'invalid_range', param: 'input' })
    }
  })

  test.each(KNOWN_MODELS.filter((model) => model !== FLASH))('%s has none', (model) => {
    expect(fault(() => pauseMarker(1, model))).toMatchObject({
      name: 'InvalidRequestError',
      code: 'unsupported_for_model',
      param: 'input',
    })
  })

  test('for a model outside the interface, the service decides', () => {
    expect(pauseMarker(2.5, 'svc-tts-1.5-flash-2026-03-20')).toBe('[pause 2.5s]')
  })
})
