import { expect, test } from 'vitest'
import { boundedLog } from './bounded-log.ts'

test('lines over the bound are dropped, and the next line tells how many', () => {
  const time = { now: 0 }
  const lines: string[] = []
  const log = boundedLog({ write: (line) => lines.push(line) }, { bytesPerSecond: 10, burst: 20, now: () => time.now })
  for (const line of ['a234567890', 'b234567890', 'c234567890', 'd234567890']) log.write(line)
  expect(lines).toEqual(['a234567890', 'b234567890'])
  time.now += 1000
  log.write('e234567890')
  expect(lines).toHaveLength(4)
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ level: 40, dropped: 2, msg: 'log lines were dropped' })
  expect(lines[3]).toBe('e234567890')
})

test('a quiet log may write its burst again', () => {
  const time = { now: 0 }
  const lines: string[] = []
  const log = boundedLog({ write: (line) => lines.push(line) }, { bytesPerSecond: 10, burst: 20, now: () => time.now })
  log.write('x'.repeat(20))
  time.now += 3_600_000
  log.write('y'.repeat(20))
  log.write('z')
  expect(lines).toHaveLength(2)
})
