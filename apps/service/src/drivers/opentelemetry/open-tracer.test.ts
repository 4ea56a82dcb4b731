import { describe, expect, test } from 'vitest'
import type { TraceHeaders } from '../../ports/tracer.ts'
import { openTracer, passingTracer } from './open-tracer.ts'
import { createTracer } from './tracer.ts'

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const OF_THE_API = createTracer()

describe('without the API of OpenTelemetry', () => {
  const missing = Object.assign(new Error("Cannot find package '@opentelemetry/api'"), { code: 'ERR_MODULE_NOT_FOUND' })

  test('the tracer only passes traces on', async () => {
    expect(await openTracer(() => Promise.reject(missing))).toBe(passingTracer)
    expect(passingTracer.records).toBe(false)
  })

  test.each<TraceHeaders>([
    {},
    { traceparent: TRACEPARENT },
    { traceparent: TRACEPARENT, tracestate: 'vendor=1,other=a:b' },
    { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, tracestate: 'vendor=1' },
    { traceparent: 'none' },
  ])('%j is passed on as by the API without an SDK', (parent) => {
    const options = { kind: 'consumer', parent } as const
    const span = passingTracer.start('task', options)
    expect(span.trace).toEqual(OF_THE_API.start('task', options).trace)
    expect(span.recorded).toBe(false)
    expect(span.run(() => passingTracer.current())).toEqual(OF_THE_API.current())
    span.set('name', 'value')
    span.end(new Error('failed'))
  })

  test('a span without a parent has no trace', () => {
    expect(passingTracer.start('engine', { kind: 'internal' }).trace).toEqual({})
  })
})

test('with the API, its tracer is used', async () => {
  expect(await openTracer()).not.toBe(passingTracer)
})

test('an error of the API is thrown', async () => {
  await expect(openTracer(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})
