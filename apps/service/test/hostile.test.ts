import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpClient } from './hostile/http-client.ts'
import { type HostileOptions, type HostileReport, runHostile } from './hostile/run-hostile.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

/** Fewer than `pnpm suite hostile` sends, identical in every run. */
const runs: readonly HostileOptions[] = [
  { mode: 'fast', requests: 800, seed: 7, cuts: 200, slow: 30, media: false },
  { mode: 'real', requests: 60, seed: 7, cuts: 40, slow: 9, media: false },
]

describe.each(runs)('a service ($mode engines) under hostile requests', (options) => {
  let report: HostileReport
  beforeAll(async () => {
    report = await runHostile(options)
  }, 300_000)

  test('answers every request, never with an internal error', () => {
    expect(report.breaches).toEqual([])
    expect(report.uploads).toEqual([])
    expect(report.sent).toBeGreaterThanOrEqual(options.requests)
  })

  test('accepts valid requests at every route', () => {
    expect(report.acceptedShare).toBeGreaterThan(0.2)
    const untouched = Object.entries(report.routes).filter(([, { accepted }]) => accepted === 0)
    expect(untouched).toEqual([])
    expect(Object.keys(report.routes).length).toBeGreaterThanOrEqual(7)
  })

  test('serves others beside slow clients, and survives cut connections', () => {
    expect(report.besideSlowClients).toBe(200)
    expect(report.cutInMidStream).toBeGreaterThan(options.cuts / 2)
    expect(report).toMatchObject({ alive: true, exitCode: 0, complaints: '' })
  })

  test('leaves no connection, no upload and no file outside its folder', () => {
    expect(report).toMatchObject({ sockets: 0, neighbours: ['data'] })
    expect(report.leftovers).toEqual([])
    expect(report.folder.after).toEqual(report.folder.before)
  })

  test('uses no more memory than before, apart from engines', () => {
    expect(report.memory.after - report.memory.before).toBeLessThan(30)
  })
})

describe('errors of Node and the parsers', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  test.each([
    ['a path that cannot be decoded', { method: 'GET', path: '/v1/models/%', headers: {} }],
    [
      'a boundary that is longer than the parser takes',
      {
        method: 'POST',
        path: '/v1/audio/transcriptions',
        headers: { 'content-type': `multipart/form-data; boundary=${'b'.repeat(300)}` },
        body: Buffer.from('x'),
      },
    ],
  ])('%s gets an error of the service', async (_, request) => {
    const client = new HttpClient(service.url, KEY)
    const { status, text } = await client.send(request)
    client.close()
    expect(status).toBe(400)
    // An error of the service always names its field, or null.
    expect(text).toContain('"param":')
  })
})
