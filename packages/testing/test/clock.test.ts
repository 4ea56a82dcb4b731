import { AudioClient, TimeoutError } from '@svc-audio/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestClock, createTestUpstream, delay, hold, status, type TestUpstream } from '../src/index.ts'

let upstream: TestUpstream
beforeEach(async () => {
  upstream = await createTestUpstream({ retryAfter: 30, polls: 3 })
})
afterEach(async () => {
  vi.useRealTimers()
  await upstream.close()
})

describe.each(['real', 'fake'])('with %s timers', (kind) => {
  beforeEach(() => {
    if (kind === 'fake')
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'Date', 'performance'] })
  })

  test('a client waits for Retry-After by the clock of the test', async () => {
    const clock = createTestClock()
    const audio = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url, clock })
    upstream.next('GET /v1/models', status(429, { headers: { 'retry-after': '20' } }))
    const models = audio.models.list()
    const wait = await clock.waitForTimer((milliseconds) => milliseconds >= 20_000)
    expect(upstream.requests).toHaveLength(1)
    clock.advance(wait)
    expect((await models).data.length).toBeGreaterThan(0)
    expect(upstream.requests).toHaveLength(2)
  })

  test('a response of the upstream is delayed in real time', async () => {
    const audio = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url, clock: createTestClock() })
    upstream.next('GET /v1/models', delay(20))
    expect((await audio.models.list()).data.length).toBeGreaterThan(0)
  })

  test('a deadline passes by the clock of the test', async () => {
    const clock = createTestClock()
    const audio = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url, clock, timeout: 90_000 })
    upstream.next('GET /v1/models', hold())
    const models = audio.models.list().catch((error: unknown) => error)
    await upstream.waitForRequest('GET /v1/models')
    clock.advance(90_000)
    expect(await models).toBeInstanceOf(TimeoutError)
  })
})

describe('a clock', () => {
  test('runs due timers in order, also those that a timer sets', () => {
    const clock = createTestClock()
    const ran: string[] = []
    clock.setTimer(20, () => ran.push(`late at ${clock.now()}`))
    clock.setTimer(10, () => {
      ran.push(`early at ${clock.now()}`)
      clock.setTimer(5, () => ran.push(`nested at ${clock.now()}`))
    })
    expect(clock.timers).toEqual([10, 20])
    clock.advance(15)
    expect(ran).toEqual(['early at 10', 'nested at 15'])
    expect(clock.timers).toEqual([5])
    clock.advance(100)
    expect([clock.now(), ran.at(-1)]).toEqual([115, 'late at 20'])
  })

  test('drops a cancelled timer', () => {
    const clock = createTestClock()
    const cancel = clock.setTimer(10, () => expect.unreachable())
    cancel()
    clock.advance(10)
    expect(clock.timers).toEqual([])
  })

  test('ends a wait for a timer with the reason of its signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(createTestClock().waitForTimer(undefined, { signal })).rejects.toThrow('enough')
  })
})
