import { verifyWebhook } from '@svc-audio/core/webhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claimedSpeech, createFakeServices, type FakeServices } from '../../test/support/fake-services.ts'
import { ForbiddenAddressError, NoResponseError, type WebhookMessage } from '../ports/webhook-outbox.ts'
import { deliverWebhook, webhookDelay } from './webhooks.ts'

const HOUR = 3600 * 1000

let services: FakeServices
beforeEach(async () => {
  services = await createFakeServices()
  const claim = await claimedSpeech(services, { webhookUrl: 'https://example.com/hook?token=secret' })
  await services.stores.tasks.succeed(claim, { file: 'a.wav' })
})
afterEach(() => services.close())

/** Runs one attempt, if one is due. */
async function attempt(): Promise<boolean> {
  const claim = await services.stores.outbox.claim(60_000)
  if (claim !== undefined) await deliverWebhook(services, claim)
  return claim !== undefined
}
const state = () => services.stores.outbox.stateOf('task_1')

test('the message is the task, signed again at every attempt with the same id', async () => {
  const messages: WebhookMessage[] = []
  services.answer = async (message) => {
    messages.push(message)
    return messages.length === 1 ? 500 : 200
  }
  await attempt()
  await services.clock.pass(webhookDelay(1))
  await attempt()
  const [first, second] = messages
  expect(first?.url).toBe('https://example.com/hook?token=secret')
  expect(JSON.parse(first?.body ?? '')).toMatchObject({ id: 'task_1', object: 'audio.speech', status: 'SUCCESS' })
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(Number(second?.headers['webhook-timestamp'])).toBe(Number(first?.headers['webhook-timestamp']) + 5)
  const secret = await services.stores.secrets.secretOf('t')
  for (const { headers, body } of messages) {
    const now = Number(headers['webhook-timestamp'])
    expect(await verifyWebhook({ headers: new Headers(headers), body, secret, now })).toBe(true)
  }
})

test.each([200, 201, 204, 299])('%i is a success', async (status) => {
  services.answer = async () => status
  await attempt()
  expect(await state()).toMatchObject({ status: 'delivered', attempts: 1, lastOutcome: `HTTP ${status}` })
})

test.each([199, 301, 400, 404, 410, 429, 500])('%i is a failure', async (status) => {
  services.answer = async () => status
  await attempt()
  expect(await state()).toMatchObject({ status: 'pending', attempts: 1, lastOutcome: `HTTP ${status}` })
})

describe('the outcome is a few words without the address', () => {
  const rows: [error: Error, outcome: string][] = [
    [new ForbiddenAddressError('example.com is at an address …'), 'address refused'],
    [new NoResponseError(15_000), 'no response within 15 s'],
    [Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:443'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new Error('https://example.com/hook?token=secret'), 'no connection'],
  ]
  test.each(rows)('%s', async (error, outcome) => {
    services.answer = async () => {
      throw error
    }
    await attempt()
    expect(await state()).toMatchObject({ status: 'pending', lastOutcome: outcome })
    expect(services.logged).toHaveLength(1)
    expect(services.logged.join('')).not.toMatch(/secret|example\.com|10\.0\.0\.1/)
  })
})

test('a webhook is retried for a day with growing delays, then fails', async () => {
  services.answer = async () => 503
  const start = services.clock.now()
  const times: number[] = []
  while ((await state())?.status !== 'failed') {
    if (await attempt()) times.push(services.clock.now() - start)
    const next = (await state())?.nextAttemptAt
    if (next !== undefined) await services.clock.pass(next - services.clock.now())
  }
  const delays = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  expect(delays.slice(0, 6).map((delay) => delay / 1000)).toEqual([5, 20, 80, 320, 1280, 5120])
  expect(delays.every((delay, index) => index === 0 || delay >= (delays[index - 1] ?? 0))).toBe(true)
  expect(times.at(-1)).toBeGreaterThan(20 * HOUR)
  expect(times.at(-1)).toBeLessThanOrEqual(24 * HOUR)
  await services.clock.pass(100 * HOUR)
  expect(await attempt()).toBe(false)
})

test('a stop returns the call without counting the attempt', async () => {
  services.answer = (_message, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      services.stop.abort(new Error('stopping'))
    })
  await attempt()
  expect(await state()).toMatchObject({ status: 'pending', attempts: 0 })
})
