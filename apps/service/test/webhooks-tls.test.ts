import { verifyWebhook } from '@svc-audio/core/webhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWebhookPolicy } from '../src/domain/url-policies.ts'
import { createWebhookSender } from '../src/drivers/http/webhook-sender.ts'
import { deliverWebhook, webhookDelay } from '../src/use-cases/webhooks.ts'
import { headersOf, HOOK_CERTIFICATE, OTHER_CERTIFICATE, type Receiver, startReceiver } from './support/receiver.ts'
import { claimedSpeech, createFakeServices, type FakeServices } from './support/fake-services.ts'

const HOST = 'hook.example.com'

let services: FakeServices
let receiver: Receiver
/** Resolved names. */
let resolved: string[]
beforeEach(async () => {
  services = await createFakeServices()
  receiver = await startReceiver(() => 204, HOOK_CERTIFICATE)
  resolved = []
  const claim = await claimedSpeech(services, { webhookUrl: receiver.url.replace('127.0.0.1', HOST) })
  await services.stores.tasks.succeed(claim, { file: 'a.wav' })
})
afterEach(async () => {
  receiver.close()
  await services.close()
})

/** One attempt of a sender that trusts these certificates. The test decides where the name leads. */
async function attempt(ca?: readonly string[]): Promise<void> {
  const sender = createWebhookSender({
    policy: createWebhookPolicy([HOST]),
    async resolve(host) {
      resolved.push(host)
      return [{ address: '127.0.0.1', family: 4 }]
    },
    ca,
  })
  const claim = await services.stores.outbox.claim(60_000)
  if (claim === undefined) throw new Error('Nothing is due')
  await deliverWebhook({ ...services, runtime: { ...services.runtime, sender } }, claim)
}
const state = () => services.stores.outbox.stateOf('task_1')
const BOTH = [HOOK_CERTIFICATE.cert, OTHER_CERTIFICATE.cert]

test('a call goes to the checked address, with the certificate of the host name', async () => {
  await attempt(BOTH)
  expect(await state()).toMatchObject({ status: 'delivered', attempts: 1, lastOutcome: 'HTTP 204' })
  expect(resolved).toEqual([HOST])
  const [call] = receiver.calls
  expect(call?.headers.host).toBe(`${HOST}:${new URL(receiver.url).port}`)
  expect(JSON.parse(call?.body ?? '')).toMatchObject({ id: 'task_1', status: 'SUCCESS' })
  const secret = await services.stores.secrets.secretOf('t')
  const now = services.clock.now() / 1000
  const signed = call && { headers: headersOf(call), body: call.body, secret, now }
  expect(signed && (await verifyWebhook(signed))).toBe(true)
})

test('the certificate of another host is a failure, which is retried', async () => {
  receiver.show(OTHER_CERTIFICATE)
  await attempt(BOTH)
  expect(await state()).toEqual({
    status: 'pending',
    attempts: 1,
    lastOutcome: 'ERR_TLS_CERT_ALTNAME_INVALID',
    nextAttemptAt: services.clock.now() + webhookDelay(1),
  })
  expect(receiver.calls).toEqual([])
  receiver.show(HOOK_CERTIFICATE)
  await services.clock.pass(webhookDelay(1))
  await attempt(BOTH)
  expect(await state()).toMatchObject({ status: 'delivered', attempts: 2 })
  expect(receiver.calls).toHaveLength(1)
})

test.each([
  ['the system', undefined],
  ['another one', [OTHER_CERTIFICATE.cert]],
])('a certificate that %s does not vouch for is a failure, and nothing is sent', async (_who, ca) => {
  await attempt(ca)
  expect(await state()).toMatchObject({ status: 'pending', lastOutcome: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(receiver.calls).toEqual([])
})
