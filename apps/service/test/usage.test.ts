import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readUsage } from '../src/cli/usage.ts'
import { startTestService, type TestService } from './support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const DAYS = { from: '2000-01-01', to: '2099-12-31' }
const SPEECH = {
  model: 'svc-tts-1.0-pro',
  input: 'The train leaves at seven.',
  voice_id: 'rms',
  response_format: 'wav',
}
const BYTES_A_SECOND = 2 * 16_000

interface Amounts {
  readonly requests: number
  readonly tasks_succeeded: number
  readonly tasks_failed: number
  readonly characters: number
  readonly speech_seconds: number
  readonly recording_seconds: number
  readonly stored_bytes: number
}

interface Report {
  readonly tenants: readonly {
    readonly tenant: string
    readonly stored_bytes_now: number
    readonly total: Amounts
    readonly days: readonly (Amounts & { readonly day: string; readonly kind: string })[]
  }[]
}

/** The amounts of a kind, when the counter has stored the last calls. */
async function amounts(kind: string): Promise<Amounts | undefined> {
  const options = { dataDir: service.dataDir }
  const text = await readUsage(options, { tenant: undefined, ...DAYS, json: true })
  const report = JSON.parse(text) as Report
  return report.tenants[0]?.days.find((row) => row.kind === kind)
}

const speak = (change: object = {}, headers: Record<string, string> = {}) =>
  service.request('POST', '/v1/audio/speech', { ...SPEECH, ...change }, headers)

describe('usage of one tenant', () => {
  test('a synchronous call counts its request, its characters and its speech', async () => {
    const wav = Buffer.from(await (await speak()).arrayBuffer())
    const rate = wav.readUInt32LE(28)
    await expect.poll(async () => (await amounts('speech'))?.requests, { timeout: 20_000 }).toBe(1)
    const counted = await amounts('speech')
    expect(counted).toMatchObject({ characters: SPEECH.input.length, tasks_succeeded: 0 })
    expect(counted?.speech_seconds).toBeCloseTo((wav.length - 44) / (rate || BYTES_A_SECOND), 2)
  })

  test('a repeated request counts as a request, and its work only once', async () => {
    const before = await amounts('speech')
    const key = { 'idempotency-key': 'once' }
    for (const _ of [1, 2]) await (await speak({ delivery_method: 'url' }, key)).text()
    await expect
      .poll(async () => (await amounts('speech'))?.requests, { timeout: 20_000 })
      .toBe((before?.requests ?? 0) + 2)
    expect((await amounts('speech'))?.characters).toBe((before?.characters ?? 0) + SPEECH.input.length)
    expect((await amounts('storage'))?.stored_bytes).toBeGreaterThan(1000)
  })

  test('a refused request counts nothing', async () => {
    const before = await amounts('speech')
    await (await speak({ voice_id: 'unknown' })).text()
    await (await speak({ speed: 'fast' })).text()
    await (await service.request('GET', '/v1/models')).text()
    await expect.poll(async () => (await amounts('other'))?.requests, { timeout: 20_000 }).toBe(1)
    expect(await amounts('speech')).toEqual(before)
  })

  test('a stream counts its task with its work', async () => {
    const before = await amounts('speech')
    const response = await speak({ model: 'svc-tts-1.5-flash', stream: true, response_format: 'pcm' })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
    await expect.poll(async () => (await amounts('speech'))?.tasks_succeeded, { timeout: 20_000 }).toBe(1)
    const after = await amounts('speech')
    expect(after?.characters).toBe((before?.characters ?? 0) + SPEECH.input.length)
    expect(after?.speech_seconds).toBeGreaterThan(before?.speech_seconds ?? 0)
  })

  test('the table has a line for each kind, and a total of the tenant', async () => {
    const options = { dataDir: service.dataDir }
    const table = await readUsage(options, { tenant: undefined, ...DAYS, json: false })
    const [head = '', ...lines] = table.trimEnd().split('\n')
    expect(head).toMatch(/^day +tenant +kind +requests +tasks_succeeded/)
    expect(lines.at(-1)).toMatch(/^total /)
    const nothing = { tenant: undefined, from: '2001-01-01', to: '2001-01-02', json: false }
    expect(await readUsage(options, nothing)).toBe('No usage in these days.\n')
  })

  test('an unknown tenant is an error that names it', async () => {
    const usage = readUsage({ dataDir: service.dataDir }, { tenant: 'nobody', ...DAYS, json: false })
    await expect(usage).rejects.toThrow('There is no tenant nobody')
  })
})
