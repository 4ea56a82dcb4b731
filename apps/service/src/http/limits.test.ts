import fastify, { type FastifyInstance } from 'fastify'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ServiceError } from '../domain/service-error.ts'
import { limitTenant } from './limits.ts'

let app: FastifyInstance
let clock: ManualClock
/** Ends the running requests, the oldest first. */
let ends: (() => void)[]
beforeEach(async () => {
  clock = new ManualClock()
  ends = []
  app = fastify()
  app.decorateRequest('tenant', '')
  app.decorateReply('endActions', undefined)
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof ServiceError)) throw error
    return reply.code(error.status).send({ retryAfter: error.retryAfterSeconds })
  })
  limitTenant(app, 2, { wait: 5000, clock })
  app.get('/', () => new Promise((resolve) => ends.push(() => resolve('done'))))
  await app.listen({ port: 0 })
})
afterEach(() => {
  for (const end of ends) end()
  return app.close()
})

const request = (signal: AbortSignal | null = null): Promise<Response> => fetch(app.listeningOrigin, { signal })

/** Starts requests, one after another. */
async function start(count: number): Promise<Promise<Response>[]> {
  const requests = Array.from({ length: count }, () => request())
  await expect.poll(() => ends.length + clock.timers).toBe(count)
  return requests
}

describe('requests over the limit', () => {
  test('wait for a place, in order', async () => {
    const [first, , third] = await start(3)
    expect(ends).toHaveLength(2)
    ends[0]?.()
    expect((await first)?.status).toBe(200)
    await expect.poll(() => ends).toHaveLength(3)
    ends[2]?.()
    expect((await third)?.status).toBe(200)
    expect(clock.timers).toBe(0)
  })

  test('are refused after the wait, with times that fit the queue', async () => {
    const requests = await start(8)
    await clock.pass(5000)
    const refused = await Promise.all(requests.slice(2))
    expect(refused.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 429))
    const times = await Promise.all(
      refused.map(async (one) => ((await one.json()) as { retryAfter: number }).retryAfter),
    )
    // The running requests have taken five seconds, and two run at once: the last refused one is the sixth in the queue.
    expect(Math.min(...times)).toBeGreaterThanOrEqual(10)
    expect(Math.max(...times)).toBeLessThanOrEqual(15)
  })

  test('of a client that disconnects leave the queue', async () => {
    const atWork = await start(2)
    const stop = new AbortController()
    const left = request(stop.signal)
    await expect.poll(() => clock.timers).toBe(1)
    stop.abort()
    await expect(left).rejects.toThrow('aborted')
    await expect.poll(() => clock.timers).toBe(0)
    expect(atWork).toHaveLength(2)
  })

  test('are refused at once when too many wait', async () => {
    const requests = await start(66)
    expect((await request()).status).toBe(429)
    for (let at = 0; at < 66; at += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(at)
      ends[at]?.()
    }
    expect((await Promise.all(requests)).every(({ status }) => status === 200)).toBe(true)
  })
})
