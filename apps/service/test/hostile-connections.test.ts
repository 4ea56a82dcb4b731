import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askFresh, besideHolders, HOLDERS } from './hostile/hold-connections.ts'
import { abandonPipeline, pipeline } from './hostile/pipeline.ts'
import { type ServiceChild, startServiceChild } from './hostile/service-child.ts'
import { DEFAULT_OPTIONS } from '../src/service-options.ts'

/** Fewer than the strangers' connections. */
const OPEN_FILES = 256
const LIMIT = DEFAULT_OPTIONS.requestsAtOncePerTenant

let service: ServiceChild
beforeAll(async () => {
  service = await startServiceChild('fast', OPEN_FILES)
})
afterAll(() => service.stop())

describe('a service with 256 open files answers fresh connections of every address while a stranger', () => {
  test.each(Object.entries(HOLDERS))('%s on 400 connections', async (_what, holder) => {
    const results = await besideHolders(service, holder, { count: 400, checks: 12, pauseMs: 250 })
    expect(results).toEqual(Array.from({ length: 24 }, () => '200'))
  })
})

describe('pipelined requests', () => {
  test('are counted as in flight: those over the limit of their tenant get 429, and all are answered in order', async () => {
    const { 200: accepted = 0, 429: refused = 0, ...others } = await pipeline(service, 2000)
    expect(others).toEqual({})
    expect(accepted + refused).toBe(2000)
    expect(accepted).toBeGreaterThanOrEqual(LIMIT)
    expect(refused).toBeGreaterThan(0)
    expect(await askFresh(service)).toBe('200')
  })

  test('without a valid key are all refused, and fresh connections are answered', async () => {
    expect(await pipeline(service, 2000, 'unknown')).toEqual({ 401: 2000 })
    expect(await askFresh(service)).toBe('200')
  })

  test('of a client that disconnects are in flight no more', async () => {
    for (let turn = 0; turn < 4; turn += 1) await abandonPipeline(service, LIMIT / 2)
    await expect.poll(() => askFresh(service), { timeout: 10_000 }).toBe('200')
    const { 200: accepted = 0 } = await pipeline(service, LIMIT)
    expect(accepted).toBe(LIMIT)
  })
})

test('the service reports no error about any of them', () => {
  expect(service).toMatchObject({ alive: true, complaints: '' })
})
