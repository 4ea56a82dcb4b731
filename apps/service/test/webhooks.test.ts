import { setTimeout as sleep } from 'node:timers/promises'
import { verifyWebhook } from '@svc-audio/core/webhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../src/drivers/sqlite/database.ts'
import { createSecretCipher } from '../src/domain/secret-cipher.ts'
import { readSecretKey } from '../src/drivers/folder/folders.ts'
import { createSecretStore, createWebhookSecrets } from '../src/drivers/sql/secret-store.ts'
import { headersOf, type Receiver, startReceiver } from './support/receiver.ts'
import { OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'

type Json = Record<string, unknown>

let service: TestService
beforeAll(async () => {
  service = await startTestService({ webhookAllow: ['http://127.0.0.1'] })
})
afterAll(() => service.close())

let answer = 204
let receiver: Receiver
beforeEach(async () => {
  answer = 204
  receiver = await startReceiver(() => answer)
})
afterEach(() => receiver.close())

const body = { model: 'svc-tts-1.0-pro', input: 'Hello.', voice_id: 'rms', response_format: 'wav', async: true }

async function create(change: object = {}, headers: Record<string, string> = {}): Promise<string> {
  const request = { ...body, webhook_url: receiver.url, ...change }
  const response = await service.request('POST', '/v1/audio/speech', request, headers)
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: string }).id
}

async function find(id: string, headers: Record<string, string> = {}): Promise<Json> {
  return (await (await service.request('GET', `/v1/audio/tasks/${id}`, undefined, headers)).json()) as Json
}

/** Waits for the first call. */
async function called() {
  for (;;) {
    const [call] = receiver.calls
    if (call !== undefined) return call
    await sleep(10)
  }
}

async function secretOf(tenant: string): Promise<string> {
  const database = openDatabase(`${service.dataDir}/service.sqlite`)
  try {
    const cipher = createSecretCipher(await readSecretKey(service.dataDir))
    return await createWebhookSecrets(createSecretStore(database, cipher)).secretOf(tenant)
  } finally {
    await database.destroy()
  }
}
test('a succeeded task is posted as the task object, with a visible state', async () => {
  const id = await create()
  const call = await called()
  const { webhook, ...task } = await (async () => {
    for (;;) {
      const seen = await find(id)
      if ((seen['webhook'] as Json | undefined)?.['status'] === 'delivered') return seen
      await sleep(10)
    }
  })()
  expect(webhook).toEqual({ status: 'delivered', attempts: 1, last_outcome: 'HTTP 204' })
  const posted = JSON.parse(call.body) as Json
  expect(posted).toEqual({ ...task, url: expect.any(String) })
  expect((await fetch(String(posted['url']))).status).toBe(200)
  expect(call.headers['content-type']).toBe('application/json')
})
test('a failed task is posted too', async () => {
  await create({ input: '🎉🎉' })
  const posted = JSON.parse((await called()).body) as Json
  expect(posted).toMatchObject({ status: 'FAILED', error: { code: 'unspeakable_text' } })
})

test("Standard Webhooks: id, timestamp and a signature with the tenant's secret", async () => {
  await create({}, { authorization: `Bearer ${OTHER_KEY}` })
  const call = await called()
  expect(call.headers['webhook-id']).toMatch(/^msg_[\da-f]{32}$/)
  const secrets = [await secretOf('first'), await secretOf('second')]
  expect(new Set(secrets).size).toBe(2)
  const signed = { headers: headersOf(call), body: call.body, now: Date.now() / 1000 }
  expect(secrets.every((secret) => /^whsec_[\w+/]{43}=$/.test(secret))).toBe(true)
  const verified = await Promise.all(secrets.map((secret) => verifyWebhook({ ...signed, secret })))
  expect(verified).toEqual([false, true])
})

test.each([500, 404, 302])(
  'a response of %i is a failure: it is retried, and a redirect is not followed',
  async (status) => {
    answer = status
    const id = await create()
    await called()
    await expect
      .poll(async () => (await find(id))['webhook'])
      .toEqual({
        status: 'pending',
        attempts: 1,
        last_outcome: `HTTP ${status}`,
        next_attempt_at: expect.any(Number),
      })
    expect(receiver.calls).toHaveLength(1)
    // The task's state is independent of its receivers.
    expect(await find(id)).toMatchObject({ status: 'SUCCESS' })
  },
)

test('an unreachable receiver is retried, and its address is not revealed', async () => {
  const { url } = receiver
  receiver.close()
  const id = await create({ webhook_url: `${url}?token=secret` })
  await expect
    .poll(async () => (await find(id))['webhook'], { timeout: 20_000 })
    .toMatchObject({
      status: 'pending',
      attempts: 1,
      last_outcome: 'ECONNREFUSED',
    })
})
