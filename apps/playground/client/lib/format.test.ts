import { expect, test } from 'vitest'
import {
  formatBytes,
  formatClock,
  formatCount,
  formatMoment,
  formatMs,
  formatPace,
  formatPercent,
  formatSeconds,
  formatTime,
} from './format.ts'

test.each([
  [0, '0 ms'],
  [83.6, '84 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [1234, '1.2 s'],
  [61_000, '61.0 s'],
])('%d milliseconds are shown as %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text)
})

test.each([
  [0, '0.0 s'],
  [3.24, '3.2 s'],
  [59.94, '59.9 s'],
  [59.96, '1:00'],
  [60, '1:00'],
  [125, '2:05'],
  [3600, '60:00'],
])('%d seconds of audio are shown as %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text)
})

test.each([
  [0, '0:00'],
  [3.99, '0:03'],
  [59.999, '0:59'],
  [600, '10:00'],
])('a clock shows the whole second that plays: %d is %s', (seconds, text) => {
  expect(formatClock(seconds)).toBe(text)
})

test.each([
  [0, '0 KB'],
  [101_600, '102 KB'],
  [999_499, '999 KB'],
  [999_500, '1.0 MB'],
  [1_440_000, '1.4 MB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [0.0208, '48 × faster than real time'],
  [0.4, '2.5 × faster than real time'],
  [1.02, 'as long as the audio'],
  [1.5, '1.5 × slower than real time'],
  [20, '20 × slower than real time'],
])('%d seconds of work for a second of audio are shown as %s', (factor, text) => {
  expect(formatPace(factor)).toBe(text)
})

test('a share has one decimal, and a share above one stays', () => {
  expect([0, 0.0344, 1, 1.5].map(formatPercent)).toEqual(['0.0 %', '3.4 %', '100.0 %', '150.0 %'])
})

test('counts have English separators, whatever the language of the browser', () => {
  expect([7, 5000, 1_234_567].map(formatCount)).toEqual(['7', '5,000', '1,234,567'])
})

test('a Unix time of this year has its local day and time, and no year', () => {
  const year = new Date().getFullYear()
  const text = formatTime(new Date(year, 10, 3, 14, 5).getTime() / 1000)
  expect(text).toMatch(/\b0?3\b/)
  expect(text).toMatch(/05/)
  expect(text).not.toContain(String(year))
})

test('a Unix time of another year has its local day and year', () => {
  const text = formatTime(new Date(2017, 11, 13, 14, 5).getTime() / 1000)
  expect(text).toMatch(/\b13\b/)
  expect(text).toContain('2017')
  expect(text).not.toContain('05')
})

test('a time of today has seconds and no day, and one of yesterday its day', () => {
  const now = new Date(2026, 10, 23, 9, 5, 12).getTime()
  expect(formatMoment(now, now)).toMatch(/05:12/)
  expect(formatMoment(now, now)).not.toContain('23')
  expect(formatMoment(now - 24 * 3600 * 1000, now)).toMatch(/\b22\b/)
})
