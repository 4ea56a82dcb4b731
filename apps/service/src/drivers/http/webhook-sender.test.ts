import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import type { ResolvedAddress } from '../../domain/addresses.ts'
import { createWebhookPolicy } from '../../domain/url-policies.ts'
import { ForbiddenAddressError, NoResponseError } from '../../ports/webhook-outbox.ts'
import { createWebhookSender } from './webhook-sender.ts'

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver(() => 307)
})
afterEach(() => receiver.close())

const message = (url: string) => ({ url, headers: { 'webhook-id': 'msg_1' }, body: '{"a":"ä"}' })
const never = new AbortController().signal
const LOOPBACK: ResolvedAddress = { address: '127.0.0.1', family: 4 }

/** The receiver under a name. */
const named = (host: string): string => receiver.url.replace('127.0.0.1', host)

test('the message arrives whole, and a redirect is an ordinary response', async () => {
  const sender = createWebhookSender({ policy: createWebhookPolicy(['http://127.0.0.1']) })
  expect(await sender.post(message(receiver.url), never)).toBe(307)
  expect(receiver.calls).toHaveLength(1)
  expect(receiver.calls[0]).toMatchObject({
    body: '{"a":"ä"}',
    headers: { 'webhook-id': 'msg_1', 'content-length': '10', host: new URL(receiver.url).host },
  })
})

describe('names', () => {
  test('are resolved once, and the connection goes to the checked address', async () => {
    const answers = [[LOOPBACK], [{ address: '127.0.0.99', family: 4 }]]
    let asked = 0
    const sender = createWebhookSender({
      policy: createWebhookPolicy(['http://127.0.0.1', 'http://hook.example.com']),
      resolve: async () => answers[asked++] ?? [],
    })
    expect(await sender.post(message(named('hook.example.com')), never)).toBe(307)
    expect(asked).toBe(1)
    expect(receiver.calls[0]?.headers.host).toBe(new URL(named('hook.example.com')).host)
  })

  test('with a private address are not called', async () => {
    const sender = createWebhookSender({ policy: createWebhookPolicy(), resolve: async () => [LOOPBACK] })
    const url = named('hook.example.com').replace('http:', 'https:')
    await expect(sender.post(message(url), never)).rejects.toBeInstanceOf(ForbiddenAddressError)
    expect(receiver.calls).toEqual([])
  })

  test('with one private address among public ones are not called', async () => {
    const sender = createWebhookSender({
      policy: createWebhookPolicy(),
      resolve: async () => [{ address: '93.184.216.34', family: 4 }, LOOPBACK],
    })
    await expect(sender.post(message('https://hook.example.com/'), never)).rejects.toThrow('is not allowed')
  })

  test('without an address are not called', async () => {
    const sender = createWebhookSender({ policy: createWebhookPolicy(), resolve: async () => [] })
    await expect(sender.post(message('https://hook.example.com/'), never)).rejects.toThrow('no address')
  })
})

test('are checked again at each call: the list may have become shorter', async () => {
  const sender = createWebhookSender({ policy: createWebhookPolicy() })
  await expect(sender.post(message(receiver.url), never)).rejects.toBeInstanceOf(ForbiddenAddressError)
  expect(receiver.calls).toEqual([])
})

describe('a receiver without a response', () => {
  test('is abandoned at the deadline', async () => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const closed = new Promise((resolve) => mute.on('connection', (socket) => socket.resume().on('close', resolve)))
    const address = mute.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const sender = createWebhookSender({ policy: createWebhookPolicy(['http://127.0.0.1']), timeout: 100 })
    await expect(sender.post(message(`http://127.0.0.1:${port}/`), never)).rejects.toBeInstanceOf(NoResponseError)
    await closed
    mute.close()
  })

  test('is abandoned when its name never resolves', async () => {
    const resolve = () => new Promise<never>(() => undefined)
    const sender = createWebhookSender({ policy: createWebhookPolicy(), resolve, timeout: 20 })
    await expect(sender.post(message('https://hook.example.com/'), never)).rejects.toBeInstanceOf(NoResponseError)
  })

  test('is abandoned at once when the service stops', async () => {
    const stop = new AbortController()
    const resolve = () => new Promise<never>(() => undefined)
    const sender = createWebhookSender({ policy: createWebhookPolicy(), resolve })
    const posting = sender.post(message('https://hook.example.com/'), stop.signal)
    stop.abort(new Error('stopping'))
    await expect(posting).rejects.toThrow('stopping')
  })
})
