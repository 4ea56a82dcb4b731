import { expect, test } from 'vitest'
import { parseByteRange } from './byte-range.ts'

test.each([
  [undefined, 'whole'],
  ['bytes=0-9', { first: 0, last: 9 }],
  ['Bytes= 5-5 ', { first: 5, last: 5 }],
  ['bytes=90-', { first: 90, last: 99 }],
  ['bytes=90-200', { first: 90, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-200', { first: 0, last: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=100-200', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=-', 'whole'],
  ['bytes=9-5', 'whole'],
  ['bytes=0-1,5-6', 'whole'],
  ['items=0-9', 'whole'],
  ['bytes=a-b', 'whole'],
])('%s of 100 bytes is %o', (header, range) => {
  expect(parseByteRange(header, 100)).toEqual(range)
})
