import { expect, test } from 'vitest'
import { findWrongSizes, renderSizes } from './sizes.ts'

const MEBI = 1024 * 1024
const ROWS = [
  { name: 'a', packages: 2, bytes: MEBI },
  { name: 'b', note: 'without c', packages: 30, bytes: 40 * MEBI },
]
const TABLE = renderSizes(ROWS)

test('the largest install comes first', () => {
  expect(TABLE).toBe(
    '| Install | Packages | MiB |\n| --- | --- | --- |\n| `b` without c | 30 | 40.0 |\n| `a` | 2 | 1.0 |',
  )
})

test('a formatted table is the same table', () => {
  const formatted = TABLE.replaceAll('| ---', '| ---------').replaceAll('| `a` ', '| `a`       ')
  expect(findWrongSizes(formatted, TABLE)).toEqual([])
})

test('another count, another size and a missing row are faults; a size may differ by a twentieth', () => {
  expect(findWrongSizes(TABLE.replace('40.0', '41.5'), TABLE)).toEqual([])
  expect(findWrongSizes(TABLE.replace('40.0', '43.0'), TABLE)).toEqual([
    '`b` without c has 30 packages and 40 MiB, not 30 and 43',
  ])
  expect(findWrongSizes(TABLE.replace('| 2 |', '| 3 |'), TABLE)).toEqual(['`a` has 2 packages and 1 MiB, not 3 and 1'])
  expect(findWrongSizes(TABLE.replace('`a`', '`d`'), TABLE)).toEqual(['`d` is no install', '`a` is missing'])
})
