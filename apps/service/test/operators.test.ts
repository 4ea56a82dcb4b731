import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyWebhook } from '@svc-audio/core/webhooks'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createKey,
  drain,
  listKeys,
  readWebhookSecret,
  rotateKey,
  rotateLinks,
  rotateWebhookSecret,
} from '../src/cli/keys.ts'
import { listTenants, resumeTenant, suspendTenant } from '../src/cli/tenants.ts'
import { startService } from '../src/index.ts'
import { headersOf, type Receiver, startReceiver } from './support/receiver.ts'
import { errorOf, KEY, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'

const SPEECH = { model: 'svc-tts-1.0-pro', input: 'Yes.', voice_id: 'kal16', response_format: 'wav' }
const GIVEN = new Map([
  [KEY, 'first'],
  [OTHER_KEY, 'second'],
])
const SOON = { timeout: 10_000, interval: 100 }

let service: TestService
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver(() => 204)
  service = await startTestService({ webhookAllow: ['http://127.0.0.1'] })
})
afterAll(async () => {
  await service.close()
  receiver.close()
})

const statusOf = async (key: string, method = 'GET', path = '/v1/models', body?: object): Promise<number> =>
  (await service.request(method, path, body, { authorization: `Bearer ${key}` })).status

describe('keys of a running service', () => {
  const fieldOf = (text: string, name: string): string => new RegExp(`${name} +(\\S+)`).exec(text)?.[1] ?? ''

  test('a rotated key and its successor both work until the time is over', async () => {
    const made = await createKey(service, 'third')
    const [id, key] = [fieldOf(made, 'id'), fieldOf(made, 'API key')]
    const successor = fieldOf(await rotateKey(service, id, 1), 'API key')
    expect([await statusOf(key), await statusOf(successor)]).toEqual([200, 200])
    await rotateKey(service, id, 0)
    expect([await statusOf(key), await statusOf(successor)]).toEqual([401, 200])
    await expect(rotateKey(service, 'nothing', 1)).rejects.toThrow('keys list')
  })

  test('a key that has expired is refused, and the list shows when', async () => {
    const made = await createKey(service, 'fourth', 0)
    expect(await statusOf(fieldOf(made, 'API key'))).toBe(401)
    expect(await listKeys(service)).toMatch(/ {2}fourth {2}made \S+ {2}used never {2}expires 20\d\d-\S+$/m)
  })

  test('the last use of a key is shown after the stop at the latest', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-use-'))
    const running = await startService({ dataDir, port: 0, logLevel: 'silent' })
    await fetch(`${running.url}/v1/models`, { headers: { authorization: `Bearer ${running.newApiKey}` } })
    await running.close()
    expect(await listKeys({ dataDir })).toMatch(/used 20\d\d-/)
    await rm(dataDir, { recursive: true })
  })
})

describe('a tenant', () => {
  test('is suspended within a second, while others work, and is resumed', async () => {
    await suspendTenant({ ...service, apiKeys: GIVEN }, 'second')
    expect(await listTenants(service)).toMatch(/^second .* suspended$/m)
    await expect.poll(() => statusOf(OTHER_KEY), SOON).toBe(403)
    expect(await statusOf(KEY)).toBe(200)
    const refused = await service.request('GET', '/v1/models', undefined, { authorization: `Bearer ${OTHER_KEY}` })
    expect(await errorOf(refused)).toEqual({ status: 403, code: 'tenant_suspended', param: null })
    await resumeTenant({ ...service, apiKeys: GIVEN }, 'second')
    await expect.poll(() => statusOf(OTHER_KEY), SOON).toBe(200)
    expect(await listTenants(service)).not.toContain('suspended')
  })
})

describe('a drain', () => {
  test('refuses new work, serves what is stored, says so in /readyz, and ends', async () => {
    const task = await service.audio.speech.createTask({ ...SPEECH, model: 'svc-tts-1.0-pro', response_format: 'wav' })
    expect(await drain(service, true)).toMatch(/Open tasks: \d+/)
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).json(), SOON).toEqual({ status: 'draining' })
    const refused = await service.request('POST', '/v1/audio/speech', SPEECH)
    expect(await errorOf(refused)).toEqual({ status: 503, code: 'draining', param: null })
    expect(refused.headers.get('retry-after')).toBe('30')
    expect(await task.wait({ pollInterval: 50 })).toMatchObject({ status: 'SUCCESS' })
    await drain(service, false)
    await expect.poll(async () => (await service.request('POST', '/v1/audio/speech', SPEECH)).status, SOON).toBe(200)
  })
})

describe('secrets', () => {
  test('a rotated webhook secret signs beside the former one', async () => {
    const former = (await readWebhookSecret({ ...service, apiKeys: GIVEN }, 'first')).trim()
    const [current = ''] = (await rotateWebhookSecret({ ...service, apiKeys: GIVEN }, 'first', 1)).split('\n')
    expect(current).not.toBe(former)
    await service.request('POST', '/v1/audio/speech', { ...SPEECH, async: true, webhook_url: receiver.url })
    await expect.poll(() => receiver.calls.length, SOON).toBe(1)
    const [call] = receiver.calls
    if (call === undefined) throw new Error('no call')
    const body = call.body
    const now = Date.now() / 1000
    for (const secret of [former, current]) {
      expect(await verifyWebhook({ headers: headersOf(call), body, secret, now })).toBe(true)
    }
    await rotateWebhookSecret({ ...service, apiKeys: GIVEN }, 'first', 0)
    expect(await readWebhookSecret({ ...service, apiKeys: GIVEN }, 'first')).not.toBe(current)
  })

  test('links of before a rotation work after it', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-links-'))
    const options = { dataDir, port: 0, logLevel: 'silent', apiKeys: new Map([[KEY, 'first']]) } as const
    const linkOf = async (url: string): Promise<URL> => {
      const response = await fetch(`${url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...SPEECH, delivery_method: 'url' }),
      })
      return new URL(((await response.json()) as { url: string }).url)
    }
    let running = await startService(options)
    const former = await linkOf(running.url)
    await running.close()
    await rotateLinks({ dataDir }, 1)
    running = await startService(options)
    const get = async ({ pathname, search }: URL) => (await fetch(`${running.url}${pathname}${search}`)).status
    const next = await linkOf(running.url)
    expect([await get(former), await get(next)]).toEqual([200, 200])
    await running.close()
    await rotateLinks({ dataDir }, 0)
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'))
    database.exec('UPDATE secrets SET expires_at = 1 WHERE expires_at IS NOT NULL')
    database.close()
    running = await startService(options)
    expect([await get(former), await get(next)]).toEqual([404, 404])
    await running.close()
    await rm(dataDir, { recursive: true })
  })

  test('are sealed: the database contains none, and another key is refused with the remedy', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-sealed-'))
    const options = { dataDir, port: 0, logLevel: 'silent' } as const
    const running = await startService(options)
    const { newWebhookSecret = '' } = running
    await running.close()
    const bytes = Buffer.from(newWebhookSecret.slice('whsec_'.length), 'base64')
    const database = await readFile(join(dataDir, 'service.sqlite'))
    for (const form of [bytes.toString('base64'), bytes.toString('base64url')])
      expect(database.includes(form)).toBe(false)
    await expect(startService({ ...options, secretKey: 'x'.repeat(32) })).rejects.toThrow('secret.key')
    await rm(dataDir, { recursive: true })
  })

  test('that an import has stored in clear are sealed at the start and stay valid', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-imported-'))
    await (await startService({ dataDir, port: 0, logLevel: 'silent' })).close()
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'))
    database.prepare('UPDATE secrets SET value = ? WHERE name = ?').run('c2VjcmV0', 'webhooks:default')
    database.close()
    await (await startService({ dataDir, port: 0, logLevel: 'silent' })).close()
    expect(await readWebhookSecret({ dataDir }, 'default')).toBe('whsec_c2VjcmV0\n')
    expect((await readFile(join(dataDir, 'service.sqlite'))).includes('c2VjcmV0')).toBe(false)
    await rm(dataDir, { recursive: true })
  })
})

test.runIf(process.platform !== 'win32')(
  'the folder and the database are private, whatever they were before',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-modes-'))
    await (await startService({ dataDir, port: 0, logLevel: 'silent' })).close()
    await chmod(dataDir, 0o755)
    await chmod(join(dataDir, 'service.sqlite'), 0o644)
    const reopened = await startService({ dataDir, port: 0, logLevel: 'silent' })
    const modeOf = async (name: string) => (await stat(join(dataDir, name))).mode & 0o777
    expect(await modeOf('.')).toBe(0o700)
    for (const name of ['service.sqlite', 'service.sqlite-wal', 'service.sqlite-shm', 'lock.sqlite', 'secret.key']) {
      expect([name, await modeOf(name)]).toEqual([name, 0o600])
    }
    await reopened.close()
    await rm(dataDir, { recursive: true })
  },
)

describe('what operators see', () => {
  test('metrics count requests by tenant with a token, and show lag, commits and engine memory', async () => {
    const token = 'a-token-of-the-metrics'
    const own = await startTestService({ metricsToken: token })
    const read = async (): Promise<string> =>
      (await fetch(`${own.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
    expect((await own.request('POST', '/v1/audio/speech', { ...SPEECH, async: true })).status).toBe(200)
    const text = await read()
    expect(text).toMatch(/^svc_audio_tenant_requests_total\{tenant="first",status="2xx"\} 1$/m)
    expect(text).toMatch(/^svc_audio_event_loop_lag_seconds\{percentile="99"\} \d/m)
    expect(text).toMatch(/^svc_audio_commits_total [1-9]/m)
    expect(text).toMatch(/^svc_audio_commit_seconds_max 0\.\d/m)
    await expect.poll(read, SOON).toMatch(/^svc_audio_engine_resident_memory_bytes\{process="speech"\} [1-9]/m)
    await own.close()
  })

  test('metrics without a token name no tenant', async () => {
    await service.request('GET', '/v1/models')
    expect(await (await fetch(`${service.url}/metrics`)).text()).not.toContain('first')
  })

  test('a request id of a proxy is taken over, unless it is not one', async () => {
    const idOf = async (id: string) =>
      (await service.request('GET', '/v1/models', undefined, { 'x-request-id': id })).headers.get('x-request-id')
    expect(await idOf('from-the-proxy')).toBe('from-the-proxy')
    expect(await idOf('a b')).toMatch(/^[\da-f-]{36}$/)
  })
})
