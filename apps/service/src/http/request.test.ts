import { expect, test } from 'vitest'
import { requestIdOf, traceIdOf } from './request.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const ZEROS = '0'.repeat(32)

test('a valid request id is taken over', () => {
  expect(requestIdOf({ 'x-request-id': 'proxy-1.2_3' })).toBe('proxy-1.2_3')
})

test.each(['short', 'a b c d e f g', 'x'.repeat(129), 'line\nbreak', '{"a":1}12', ''])(
  'another request id (%j) is replaced',
  (given) => {
    expect(requestIdOf({ 'x-request-id': given })).toMatch(/^[\da-f-]{36}$/)
  },
)

test('a valid traceparent gives its trace', () => {
  expect(traceIdOf({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01` })).toBe(TRACE)
})

test.each([undefined, '', `00-${ZEROS}-00f067aa0ba902b7-01`, `00-${TRACE}-0000000000000000-01`, `00-${TRACE}-01`])(
  'another traceparent (%j) gives none',
  (traceparent) => {
    expect(traceIdOf(traceparent === undefined ? {} : { traceparent })).toBeUndefined()
  },
)
