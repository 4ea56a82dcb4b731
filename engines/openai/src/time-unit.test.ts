import { expect, test } from 'vitest'
import { timeUnit } from './time-unit.ts'

const spans = (...ends: number[]) => ends.map((end) => ({ start: 0, end }))

test.each([
  ['seconds', spans(0.4, 1.2), 1.3, 1],
  ['seconds up to the end of a window of a model', spans(29.98), 1.3, 1],
  ['milliseconds', spans(400, 1200), 1.3, 1e3],
  ['microseconds', spans(1.2e6), 1.3, 1e6],
  ['nanoseconds', spans(4e8, 1.2e9), 1.3, 1e9],
  ['nanoseconds of a long recording', spans(3.6e12), 3600, 1e9],
  ['no times', [], 5, 1],
])('%s are known by the length of the recording', (_unit, times, seconds, unit) => {
  expect(timeUnit(times, seconds, 'far')).toBe(unit)
})

test('times that fit in no unit are refused, and never set to the end', () => {
  expect(() => timeUnit(spans(1.2e12), 1.3, 'far')).toThrow(
    'far answered times up to 1200000000000 for a recording of 1.3 s',
  )
})
