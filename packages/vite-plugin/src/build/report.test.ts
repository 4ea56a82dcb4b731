import { describe, expect, test } from 'vitest'
import { clock, count, reportLines, type ReportRow } from './report.ts'

const row = (source: string, more: Partial<ReportRow> = {}): ReportRow => ({
  source,
  state: 'cached',
  durationSeconds: undefined,
  characters: 0,
  calls: 0,
  bytes: undefined,
  ...more,
})

test.each([
  [0, '0:00'],
  [0.49, '0:00'],
  [59.4, '0:59'],
  [59.5, '1:00'],
  [65, '1:05'],
  [3599.4, '59:59'],
  [3599.6, '1:00:00'],
  [4505, '1:15:05'],
])('%d seconds are %s', (seconds, text) => {
  expect(clock(seconds)).toBe(text)
})

test.each([
  [0, '0 calls'],
  [1, '1 call'],
  [999, '999 calls'],
  [1000, '1,000 calls'],
  [123_456, '123,456 calls'],
  [1_234_567, '1,234,567 calls'],
])('%i is counted as %s', (number, text) => {
  expect(count(number, 'call')).toBe(text)
})

test('an irregular plural is given', () => {
  expect([count(1, 'entry', 'entries'), count(2, 'entry', 'entries')]).toEqual(['1 entry', '2 entries'])
})

describe('the closing table', () => {
  const rows = [
    row('posts/a.md', { state: 'new', durationSeconds: 65, calls: 12, characters: 1234, bytes: 345_678 }),
    row('b.md?voice_id=slt', { durationSeconds: 5, bytes: 99 }),
    row('c.md', { state: 'failed' }),
  ]

  test('the closing table aligns its columns, and ends no line in a space', () => {
    expect(reportLines(rows, undefined)).toEqual([
      'narration: 3 pages, 12 calls, 1,234 characters',
      '  posts/a.md         1:05  new     12 calls, 1,234 characters    345.7 kB',
      '  b.md?voice_id=slt  0:05  cached                                0.1 kB',
      '  c.md                     failed',
    ])
  })

  test('the closing table has the cost of each page with calls, and of all', () => {
    const [total, first, second] = reportLines(rows, 15)
    expect(total).toBe('narration: 3 pages, 12 calls, 1,234 characters, cost 0.0185')
    expect(first).toContain('1,234 characters  0.0185  345.7 kB')
    expect(second).not.toMatch(/0\.0000/)
  })

  test('the closing table counts one page, one call and one character in the singular', () => {
    expect(reportLines([row('a.md', { state: 'new', calls: 1, characters: 1 })], undefined)).toEqual([
      'narration: 1 page, 1 call, 1 character',
      '  a.md    new  1 call, 1 character',
    ])
  })

  test('the closing table counts the calls that the cache has saved', () => {
    const segments = Array.from({ length: 5 }, (_, index) => ({ written: `${index}`, spoken: `${index}` }))
    const script = { segments } as unknown as NonNullable<ReportRow['script']>
    const [planned] = reportLines([row('a.md', { state: 'planned', calls: 2, characters: 9, script })], undefined)
    expect(planned).toBe('narration: 1 page, 2 calls, 9 characters; 3 calls are free, the cache has them')
    expect(reportLines([row('a.md', { script })], 15)[0]).toMatch(/cost 0\.0000; 5 calls are free/)
  })

  test('the closing table of no pages is its total', () => {
    expect(reportLines([], 15)).toEqual(['narration: 0 pages, 0 calls, 0 characters, cost 0.0000'])
  })
})

test('files over the precache limit of Workbox are named, with the largest', () => {
  const large = [
    row('a.md', { bytes: 2_097_152 }),
    row('b.md', { bytes: 2_097_153 }),
    row('c.md', { bytes: 9_000_000 }),
  ]
  const [said] = reportLines(large, undefined).slice(-1)
  expect(said).toMatch(/^narration: 2 files over 2 MiB, .*maximumFileSizeToCacheInBytes.* The largest is of c\.md$/)
  expect(reportLines(large.slice(0, 1), undefined).join()).not.toContain('MiB')
})
