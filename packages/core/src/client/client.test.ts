import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { checkOptions } from './complete-options.ts'
import { PureAudioClient } from './client.ts'
import { ConfigurationError } from '../errors.ts'
import { AudioClient } from '../node/client.ts'
import type { Transport, TransportRequest } from '../transport/transport.ts'

const KEY = 'svc-secret-4f1c9d27b8e04a6f'

/** A transport that keeps what it is given. */
function recorder(): { transport: Transport; sent: TransportRequest[]; closed: () => number } {
  const sent: TransportRequest[] = []
  let closed = 0
  const transport: Transport = {
    async send(request) {
      sent.push(request)
      async function* empty(): AsyncGenerator<Uint8Array, void, undefined> {
        yield new TextEncoder().encode('{"object":"list","data":[]}')
      }
      return { status: 200, headers: {}, body: { [Symbol.asyncIterator]: empty, cancel: () => {}, release: () => {} } }
    },
    async close() {
      closed += 1
    },
  }
  return { transport, sent, closed: () => closed }
}

const clock = { now: () => 0, setTimer: () => () => {} }

beforeEach(() => {
  vi.stubEnv('SVC_AUDIO_API_KEY', undefined)
  vi.stubEnv('SVC_AUDIO_BASE_URL', undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('apiKey', () => {
  test.each([`${KEY}\n`, ` ${KEY}`, `${KEY}\r\nX-Injected: 1`, `${KEY} x`, `${KEY}\u0000`, `${KEY}é`])(
    '%j cannot be a header, and is not repeated in the error',
    (apiKey) => {
      let error: unknown
      try {
        void new AudioClient({ apiKey, baseUrl: 'http://localhost' })
      } catch (thrown) {
        error = thrown
      }
      expect(error).toBeInstanceOf(ConfigurationError)
      expect((error as Error).message).toContain('apiKey')
      expect(inspect(error)).not.toContain(KEY)
    },
  )

  test('a missing or empty one names the option and the variable', () => {
    const message = 'apiKey is missing: pass it to the client or set SVC_AUDIO_API_KEY'
    expect(() => new AudioClient({ baseUrl: 'http://localhost' })).toThrow(new ConfigurationError(message))
    expect(() => new AudioClient({ apiKey: '', baseUrl: 'http://localhost' })).toThrow(ConfigurationError)
    vi.stubEnv('SVC_AUDIO_API_KEY', '')
    expect(() => new AudioClient({ baseUrl: 'http://localhost' })).toThrow(new ConfigurationError(message))
  })

  test.each(['…', 'key with spaces', `${KEY}\n`, 'clé'])('the variable is named if it holds no key: %j', (value) => {
    vi.stubEnv('SVC_AUDIO_API_KEY', value)
    const message =
      'The variable SVC_AUDIO_API_KEY must be the key of the service: visible ASCII characters without spaces'
    expect(() => new AudioClient({ baseUrl: 'http://localhost' })).toThrow(new ConfigurationError(message))
  })

  test('an unknown option is refused with the name that is near', () => {
    const options = { apiKey: KEY, baseUrl: 'http://localhost', timeuot: 1000 }
    expect(() => new AudioClient(options)).toThrow('AudioClient: Unknown option `timeuot`; did you mean `timeout`?')
  })

  // rules: auth.bearer
  test('interface: Authentication, every request carries it as a bearer key', async () => {
    const { transport, sent } = recorder()
    await new AudioClient({ apiKey: KEY, baseUrl: 'http://localhost', transport }).models.list()
    expect(sent[0]?.headers['authorization']).toBe(`Bearer ${KEY}`)
  })

  // rules: auth.bearer
  test('no header of the caller replaces it, in any case', async () => {
    const { transport, sent } = recorder()
    const client = new AudioClient({ apiKey: KEY, baseUrl: 'http://localhost', transport })
    await client.models.list({ headers: { Authorization: 'Bearer other', 'X-Trace': '1', Accept: 'a/b' } })
    expect(sent[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-trace': '1', accept: 'a/b' })
    expect(Object.keys(sent[0]?.headers ?? {}).filter((name) => /^authorization$/i.test(name))).toHaveLength(1)
  })
})

describe('baseUrl', () => {
  test.each([
    // rules: general.base-url, versioning.v1
    ['http://localhost:8787', 'http://localhost:8787/v1/models'],
    ['http://localhost:8787/', 'http://localhost:8787/v1/models'],
    ['http://localhost:8787/v1', 'http://localhost:8787/v1/models'],
    ['http://localhost:8787/v1/', 'http://localhost:8787/v1/models'],
    ['http://localhost:8787//v1//', 'http://localhost:8787/v1/models'],
    ['https://example.com/audio', 'https://example.com/audio/v1/models'],
    ['https://example.com/audio/v1', 'https://example.com/audio/v1/models'],
    ['https://example.com/v10', 'https://example.com/v10/v1/models'],
    ['https://example.com/xv1', 'https://example.com/xv1/v1/models'],
    ['HTTPS://Example.COM:443', 'https://example.com/v1/models'],
    ['http://[::1]:8787', 'http://[::1]:8787/v1/models'],
  ])('interface: Versioning, %s leads to %s', async (baseUrl, url) => {
    const { transport, sent } = recorder()
    await new AudioClient({ apiKey: KEY, baseUrl, transport }).models.list()
    expect(sent[0]?.url).toBe(url)
  })

  test.each(['localhost:8787', 'ftp://example.com', 'file:///etc/passwd', '', 'example.com', '//example.com'])(
    '%j is no address',
    (baseUrl) => {
      const { transport } = recorder()
      expect(() => new PureAudioClient({ apiKey: KEY, baseUrl, transport, clock })).toThrow(ConfigurationError)
    },
  )

  test.each([
    'http://user:secret@example.com',
    'http://user@example.com',
    'http://example.com?key=secret',
    'http://example.com#secret',
  ])('%j is refused, and is not in the error', (baseUrl) => {
    const { transport } = recorder()
    const make = (): unknown => new PureAudioClient({ apiKey: KEY, baseUrl, transport, clock })
    expect(make).toThrow(new ConfigurationError('baseUrl must hold no credentials, query or fragment'))
  })

  test('comes from the environment where it is not given', async () => {
    const { transport, sent } = recorder()
    vi.stubEnv('SVC_AUDIO_API_KEY', KEY)
    vi.stubEnv('SVC_AUDIO_BASE_URL', 'http://from.env/v1')
    await new AudioClient({ transport }).models.list()
    expect(sent[0]?.url).toBe('http://from.env/v1/models')
    expect(sent[0]?.headers['authorization']).toBe(`Bearer ${KEY}`)
    expect(() => {
      vi.stubEnv('SVC_AUDIO_BASE_URL', undefined)
      return new AudioClient({ transport })
    }).toThrow(new ConfigurationError('baseUrl is missing: pass it to the client or set SVC_AUDIO_BASE_URL'))
  })
})

describe('timeout', () => {
  test.each([0, -5, Number.NaN])('of %d is refused for the client and for a call', async (timeout) => {
    const { transport, sent } = recorder()
    const options = { apiKey: KEY, baseUrl: 'http://localhost', transport, clock, checkOptions }
    expect(() => new PureAudioClient({ ...options, timeout })).toThrow(ConfigurationError)
    await expect(new PureAudioClient(options).models.list({ timeout })).rejects.toBeInstanceOf(ConfigurationError)
    expect(sent).toEqual([])
  })
})

test('a client is closed through its transport, and needs none that can be closed', async () => {
  const { transport, closed } = recorder()
  await new PureAudioClient({ apiKey: KEY, baseUrl: 'http://localhost', transport, clock }).close()
  expect(closed()).toBe(1)
  const plain: Transport = { send: (request) => transport.send(request) }
  await new PureAudioClient({ apiKey: KEY, baseUrl: 'http://localhost', transport: plain, clock }).close()
})

test('a client without access to files throws before any request', async () => {
  const { transport, sent } = recorder()
  const client = new PureAudioClient({ apiKey: KEY, baseUrl: 'http://localhost', transport, clock })
  const created = client.transcriptions.create({ model: 'svc-transcribe-1.0', file: '/tmp/a.wav' })
  await expect(created).rejects.toBeInstanceOf(ConfigurationError)
  expect(sent).toEqual([])
})
