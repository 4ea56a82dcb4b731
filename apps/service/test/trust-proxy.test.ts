import { request as send, type IncomingMessage } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { trustedProxies } from '../src/http/request.ts'
import { createFakeServices, type FakeServices } from './support/fake-services.ts'
import { Program } from './support/program.ts'
import { serveApp } from './support/fake-app.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

interface Sent {
  readonly key: string
  readonly forwardedFor?: string | string[] | undefined
  /** Address of this machine that the connection comes from. */
  readonly from?: string
}

/** Sends `GET /v1/models`, through a proxy as the service sees it. @returns The status. */
async function statusOf(url: string, { key, forwardedFor, from }: Sent): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  const forwarded = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const local = from === undefined ? {} : { localAddress: from }
  send(`${url}/v1/models`, { agent: false, headers: { ...headers, ...forwarded }, ...local }, resolve)
    .once('error', reject)
    .end()
  const response = await promise
  await text(response)
  return response.statusCode ?? 0
}

const LIMIT = 3

/** Sends wrong keys, one more than the limit. @returns The status of the last one: 429 when they counted together. */
async function guess(
  url: string,
  sent: Omit<Sent, 'key'>,
  forwardedFor?: (attempt: number) => string,
): Promise<number> {
  let last = 0
  for (let attempt = 0; attempt <= LIMIT; attempt += 1) {
    const header = forwardedFor?.(attempt) ?? sent.forwardedFor
    last = await statusOf(url, { ...sent, key: 'wrong', forwardedFor: header })
  }
  return last
}

describe('behind a named proxy', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({
      failedKeysPerMinute: LIMIT,
      trustProxy: ['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48'],
    })
  })
  afterAll(() => service.close())
  const url = () => service.url

  test('wrong keys count for the forwarded client alone', async () => {
    expect(await guess(url(), { forwardedFor: '198.51.100.1' })).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '198.51.100.1' })).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '198.51.100.2' })).toBe(200)
    expect(await statusOf(url(), { key: KEY })).toBe(200)
  })

  test('a client changes nothing with addresses that it puts before its own', async () => {
    const spoofed = (attempt: number) => `192.0.2.${attempt}, 198.51.100.10`
    expect(await guess(url(), {}, spoofed)).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '192.0.2.0' })).toBe(200)
  })

  test('a chain of named proxies leads to the client before them, in one header or in several', async () => {
    expect(await guess(url(), { forwardedFor: '198.51.100.20, 10.1.2.3, 10.0.0.7:8080' })).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: ['198.51.100.20', '10.1.2.3'] })).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '10.1.2.3' })).toBe(200)
  })

  test('a proxy that is not named is the client', async () => {
    const chain = (attempt: number) => `198.51.100.${30 + attempt}, 203.0.113.1, 10.1.2.3`
    expect(await guess(url(), {}, chain)).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '203.0.113.1' })).toBe(429)
  })

  test('an IPv6 client is its first 64 bits, in any spelling', async () => {
    expect(await guess(url(), {}, (attempt) => `2001:db8:1:2::${attempt}`)).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '[2001:DB8:1:2:3:4:5:6]:4711' })).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '2001:db8:1:3::1' })).toBe(200)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '2001:db8:1:2::1, 2001:db8:ffff::1' })).toBe(429)
  })

  test('an IPv4 client is the same with a port and as IPv6', async () => {
    expect(await guess(url(), {}, (attempt) => `198.51.100.40:${1000 + attempt}`)).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '::ffff:198.51.100.40' })).toBe(429)
  })

  test('malformed entries, and all before them, count for the proxy that passed them on', async () => {
    const malformed = (attempt: number) =>
      `198.51.100.50, ${['unknown', '_hidden', '1.2.3', 'x'.repeat(5000)][attempt]}, 10.9.9.9`
    expect(await guess(url(), {}, malformed)).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '10.9.9.9' })).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '198.51.100.50' })).toBe(200)
  })

  test('a header without an address counts for the proxy', async () => {
    expect(await guess(url(), {}, (attempt) => ['', ',', ' , ,', '\t'][attempt] ?? '')).toBe(429)
    // Its connection had shown this key before.
    expect(await statusOf(url(), { key: KEY })).toBe(200)
    expect(await statusOf(url(), { key: 'another' })).toBe(429)
  })

  // Only Linux has the whole block of loopback addresses.
  test.runIf(process.platform === 'linux')('a sender that is not named is not believed', async () => {
    const from = '127.0.0.9'
    expect(await guess(url(), { from }, (attempt) => `198.51.100.${60 + attempt}`)).toBe(429)
    expect(await statusOf(url(), { from, key: KEY, forwardedFor: '198.51.100.70' })).toBe(429)
    expect(await statusOf(url(), { key: KEY, forwardedFor: '198.51.100.60' })).toBe(200)
  })
})

describe('other settings', () => {
  let services: FakeServices
  let key: string
  beforeAll(async () => {
    services = await createFakeServices()
    ;({ key } = await services.stores.keys.create('tenant'))
  })
  afterAll(() => services.close())

  test('without a named proxy the header changes nothing', async () => {
    const served = await serveApp(services, { app: { failedKeysPerMinute: LIMIT } })
    expect(await guess(served.url, {}, (attempt) => `198.51.100.${attempt}`)).toBe(429)
    expect(await statusOf(served.url, { key, forwardedFor: '198.51.100.200' })).toBe(429)
    await served.close()
  })

  test('a service that listens on IPv6 and IPv4 knows an IPv4 proxy', async () => {
    const app = { failedKeysPerMinute: LIMIT, trustProxy: ['127.0.0.1'] }
    const served = await serveApp(services, { host: '::', app })
    expect(await guess(served.url, { forwardedFor: '198.51.100.1' })).toBe(429)
    expect(await statusOf(served.url, { key, forwardedFor: '198.51.100.2' })).toBe(200)
    await served.close()
  })

  test('an entry that is no address is refused by name', () => {
    const message = 'trustProxy has "proxy.lan", which is not an address or a CIDR block'
    expect(() => trustedProxies(['10.0.0.5', 'proxy.lan'])).toThrow(message)
  })
})

test('the log has the forwarded address, and never a text that is none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-proxy-'))
  const flags = ['--port', '0', '--data-dir', 'data', '--log-level', 'info', '--trust-proxy', '127.0.0.1,10.0.0.0/8']
  const program = new Program(folder, flags, { SVC_AUDIO_API_KEYS: `tenant:${KEY}` })
  const url = await program.ready()
  for (const forwardedFor of ['198.51.100.7, 10.0.0.1', 'the zebra', undefined]) {
    await statusOf(url, { key: KEY, forwardedFor })
  }
  await program.stop()
  const lines = program.stderr.trim().split('\n')
  const addresses = lines.flatMap((line) => {
    const { req } = JSON.parse(line) as { readonly req?: { readonly remoteAddress: string } }
    return req === undefined ? [] : [req.remoteAddress]
  })
  expect(addresses).toEqual(['198.51.100.7', '127.0.0.1', '127.0.0.1'])
  expect(program.stderr).not.toContain('zebra')
  await rm(folder, { recursive: true })
})
