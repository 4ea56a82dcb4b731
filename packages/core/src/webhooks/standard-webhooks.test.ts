import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { rejection } from '../../test/support/clients.ts'
import { signWebhook, verifyWebhook, type WebhookHeaders } from './standard-webhooks.ts'

const KEY = Buffer.from('twenty-four bytes of key')
const SECRET = `whsec_${KEY.toString('base64')}`
const OTHER = `whsec_${Buffer.from('another key of enough bytes').toString('base64')}`
const MESSAGE = { id: 'msg_1', timestamp: 1_700_000_000, body: '{"id":"t","text":"ünïcode"}' } as const

/** Verifies at the time of sending unless told otherwise. */
async function verify(headers: Partial<WebhookHeaders>, more: Partial<Parameters<typeof verifyWebhook>[0]> = {}) {
  const { body, timestamp: now } = MESSAGE
  return verifyWebhook({ headers: new Headers({ ...headers }), body, secret: SECRET, now, ...more })
}

test('a signature is the HMAC-SHA-256 of id, time and body', async () => {
  const signature = createHmac('sha256', KEY).update(`msg_1.1700000000.${MESSAGE.body}`).digest('base64')
  expect(await signWebhook({ ...MESSAGE, secret: SECRET })).toEqual({
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${signature}`,
  })
})

test('a signed message is accepted, as text and as bytes', async () => {
  const headers = await signWebhook({ ...MESSAGE, secret: SECRET })
  expect(await verify(headers)).toBe(true)
  expect(await verify(headers, { body: new TextEncoder().encode(MESSAGE.body) })).toBe(true)
  expect(await signWebhook({ ...MESSAGE, body: Buffer.from(MESSAGE.body), secret: SECRET })).toEqual(headers)
})

test.each([
  [0, true],
  [300, true],
  [301, false],
  [-300, true],
  [-301, false],
])('%i seconds after it was sent: %s', async (later, expected) => {
  const headers = await signWebhook({ ...MESSAGE, secret: SECRET })
  expect(await verify(headers, { now: MESSAGE.timestamp + later })).toBe(expected)
})

test('the tolerance can be set', async () => {
  const headers = await signWebhook({ ...MESSAGE, secret: SECRET })
  expect(await verify(headers, { now: MESSAGE.timestamp + 9, toleranceSeconds: 8 })).toBe(false)
})

describe('secrets can be replaced', () => {
  test('by signing with both', async () => {
    const headers = await signWebhook({ ...MESSAGE, secret: [OTHER, SECRET] })
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2)
    expect(await verify(headers)).toBe(true)
    expect(await verify(headers, { secret: OTHER })).toBe(true)
  })

  test('by accepting both', async () => {
    const headers = await signWebhook({ ...MESSAGE, secret: OTHER })
    expect(await verify(headers)).toBe(false)
    expect(await verify(headers, { secret: [SECRET, OTHER] })).toBe(true)
  })
})

test('a signature among those of other schemes is found, at any position of a list of any length', async () => {
  const headers = await signWebhook({ ...MESSAGE, secret: SECRET })
  const own = headers['webhook-signature']
  const among = (before: readonly string[]) => ({ ...headers, 'webhook-signature': [...before, own].join(' ') })
  expect(await verify(among(['v1a,AAAA', 'v2,AAAA', 'v1,AAAA', 'v1,!', '', 'v1']))).toBe(true)
  expect(await verify(among(Array.from({ length: 300 }, () => 'v1,AAAA')))).toBe(true)
  expect(await verify({ ...headers, 'webhook-signature': own.replace('v1,', 'v1a,') })).toBe(false)
})

test('any change of headers or body is refused', async () => {
  const headers = await signWebhook({ ...MESSAGE, secret: SECRET })
  const text = fc.string({ unit: fc.constantFrom(...'abc019.,-_{}"=+/ v'.split('')), maxLength: 60 })
  const part = fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature', 'body')
  await fc.assert(
    fc.asyncProperty(part, text, fc.nat(80), async (name, inserted, at) => {
      const original = name === 'body' ? MESSAGE.body : headers[name as keyof WebhookHeaders]
      const changed = original.slice(0, at) + inserted + original.slice(at + 1)
      // One good code among others is enough, also before a comma, and Base64 may spell the same one without padding.
      const codes = changed.split(' ').map((one) => Buffer.from(one.split(',')[1] ?? '', 'base64').toString('base64'))
      fc.pre(changed.trim() !== original && !codes.includes(headers['webhook-signature'].slice(3)))
      const accepted = name === 'body' ? verify(headers, { body: changed }) : verify({ ...headers, [name]: changed })
      expect(await accepted).toBe(false)
    }),
    { numRuns: 500 },
  )
})

describe('beside the library of the standard', () => {
  const library = new Webhook(SECRET)
  const now = Math.floor(Date.now() / 1000)
  const byLibrary = (headers: Record<string, string>, body: string): boolean => {
    try {
      library.verify(body, headers)
      return true
    } catch {
      return false
    }
  }
  /** Both verdicts. */
  const verdicts = async (headers: WebhookHeaders, body = MESSAGE.body): Promise<unknown[]> => [
    byLibrary({ ...headers }, body),
    await verifyWebhook({ headers: { ...headers }, body, secret: SECRET }),
  ]
  const sign = (id: string, timestamp = now): WebhookHeaders => ({
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': library.sign(id, new Date(timestamp * 1000), MESSAGE.body),
  })

  test('a message that one signs, the other accepts', async () => {
    expect(await verdicts(sign('msg_1'))).toEqual([true, true])
    expect(await verdicts(await signWebhook({ ...MESSAGE, timestamp: now, secret: SECRET }))).toEqual([true, true])
  })

  test.each(['evt:1/2', 'a b', '{7}', 'é', 'x'.repeat(1000)])('the id %j is accepted by both', async (id) => {
    expect(await verdicts(sign(id))).toEqual([true, true])
  })

  test('a list of signatures is read alike', async () => {
    const headers = sign('msg_1')
    const own = headers['webhook-signature']
    const many = Array.from({ length: 100 }, () => 'v1,AAAA').join(' ')
    const lists = [`v1a,AAAA ${own}`, `${own}, v1,AAAA`, `${many} ${own}`, `  ${own}`, `v1 , ${own},`]
    for (const list of lists) expect(await verdicts({ ...headers, 'webhook-signature': list })).toEqual([true, true])
    for (const list of ['', 'v1', own.slice(3), own.replace('v1', 'v2'), own.replace(',', ';')]) {
      expect(await verdicts({ ...headers, 'webhook-signature': list })).toEqual([false, false])
    }
    expect(await verdicts(sign('msg_1', now - 900))).toEqual([false, false])
    expect(await verdicts(sign('msg_1', now + 900))).toEqual([false, false])
  })

  test('only an id with a dot is accepted by the library alone, against the warning of the standard', async () => {
    expect(await verdicts(sign('a.1'))).toEqual([true, false])
  })
})

test('a dot cannot move between the parts', async () => {
  const sign = (content: string) => `v1,${createHmac('sha256', KEY).update(content).digest('base64')}`
  const headers = {
    'webhook-id': 'a.1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': sign('a.1.1700000000.{}'),
  }
  expect(await verify(headers, { body: '{}' })).toBe(false)
  expect(await rejection(signWebhook({ ...MESSAGE, id: 'a.1', secret: SECRET }))).toMatchObject({
    name: 'ConfigurationError',
  })
})

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const)(
  'without %s it is refused',
  async (name) => {
    const { [name]: _, ...others } = await signWebhook({ ...MESSAGE, secret: SECRET })
    expect(await verify(others)).toBe(false)
  },
)

test.each(['1700000000.0', '17e8', ' ', '-1', 'now', '0x6553F100'])('the time %j is invalid', async (timestamp) => {
  const signature = createHmac('sha256', KEY).update(`msg_1.${timestamp.trim()}.${MESSAGE.body}`).digest('base64')
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  expect(await verify(headers, { toleranceSeconds: Infinity })).toBe(false)
})

describe('an invalid secret throws and is not in the message', () => {
  const bad = [
    '',
    'whsec_',
    'plain-text-secret',
    `whsec_${'a'.repeat(10)}`,
    'whsec_no base64 at all, is it?',
    KEY.subarray(0, 15).toString('base64'),
  ]
  test.each(bad)('%j', async (secret) => {
    const error = await rejection(signWebhook({ ...MESSAGE, secret }))
    expect(error).toMatchObject({ name: 'ConfigurationError' })
    expect(String(error)).not.toMatch(/plain|aaaa|base64 at|dHdl/)
    expect(await rejection(verify({}, { secret }))).toMatchObject({ name: 'ConfigurationError' })
  })

  test('an empty list', async () => {
    expect(await rejection(verify({}, { secret: [] }))).toMatchObject({ name: 'ConfigurationError' })
  })
})

test.each([-1, 1.5, Number.NaN])('the time %d cannot be signed', async (timestamp) => {
  expect(await rejection(signWebhook({ ...MESSAGE, timestamp, secret: SECRET }))).toMatchObject({
    name: 'ConfigurationError',
  })
})

test('a secret works with and without its prefix', async () => {
  const plain = KEY.toString('base64')
  expect(await verify(await signWebhook({ ...MESSAGE, secret: plain }))).toBe(true)
  expect(await verify(await signWebhook({ ...MESSAGE, secret: SECRET }), { secret: plain })).toBe(true)
})

test('freshness uses the clock of the system by default', async () => {
  const now = Math.floor(Date.now() / 1000)
  for (const [timestamp, isFresh] of [
    [now, true],
    [now - 3600, false],
  ] as const) {
    const headers = new Headers({ ...(await signWebhook({ ...MESSAGE, timestamp, secret: SECRET })) })
    expect(await verifyWebhook({ headers, body: MESSAGE.body, secret: SECRET })).toBe(isFresh)
  }
})

test('a time in milliseconds is refused', async () => {
  const headers = await signWebhook({ ...MESSAGE, secret: SECRET })
  const refused = { name: 'ConfigurationError', message: expect.stringContaining('divide Date.now() by 1000') }
  expect(await rejection(verify(headers, { now: Date.now() }))).toMatchObject(refused)
  expect(await rejection(signWebhook({ ...MESSAGE, timestamp: Date.now(), secret: SECRET }))).toMatchObject(refused)
})
