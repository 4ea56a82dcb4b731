import { describe, expect, test } from 'vitest'
import { besidePause, hidePauses, unfinishedPause, withoutPauses } from './hidden-pauses.ts'

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
