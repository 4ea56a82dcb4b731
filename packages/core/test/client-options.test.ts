import { describe, expect, test } from 'vitest'
import { AudioClient, type CallOptions, ConfigurationError, type WaitOptions } from '../src/index.ts'
import { createFetchClient, type FetchClientOptions } from '../src/fetch/index.ts'
import { API_KEY, connect, rejection, until } from './support/clients.ts'
import { respondJson, startServer, type TestServer } from './support/servers.ts'
import { STREAM } from './support/speech.ts'

const EMPTY = '{"object":"list","data":[]}'

/** A server with an empty list of everything. */
const startList = (): Promise<TestServer> => startServer((_, response) => void response.end(EMPTY))

const sent = ({ requests }: TestServer, name: string): unknown[] => requests.map(({ headers }) => headers[name])

describe('client-wide headers', () => {
  test('are sent with every request, and a call’s own headers replace them', async () => {
    const server = await startList()
    const client = connect(server.url, { headers: { 'X-Tenant': 'a', 'x-app': 'notes' } })
    await client.models.list()
    await client.files.list({}, { headers: { 'x-tenant': 'b' } })
    expect(sent(server, 'x-tenant')).toEqual(['a', 'b'])
    expect(sent(server, 'x-app')).toEqual(['notes', 'notes'])
  })

  test('go to no other origin', async () => {
    const storage = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('abc')
    })
    const server = await startList()
    const client = connect(server.url, { headers: { 'x-tenant': 'a' } })
    await (await client.download({ url: `${storage.url}/a.mp3` })).bytes()
    expect(sent(storage, 'x-tenant')).toEqual([undefined])
  })

  test.each([
    [{ 'x a': '1' }, /x a/],
    [{ 'x-a': 'b\r\nx-injected: 1' }, /headers\.x-a/],
    [{ 'x-a': '日本' }, /headers\.x-a/],
  ])('%j throw at once, for a call too', async (headers, message) => {
    expect(() => connect('http://127.0.0.1:9', { headers })).toThrow(message)
    const error = await rejection(connect('http://127.0.0.1:9').models.list({ headers }))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error).toMatchObject({ message: expect.stringMatching(message) })
  })
})

describe('a key that a function returns', () => {
  const connectBy = (baseUrl: string, apiKey: () => string | Promise<string>, maxRetries = 0): AudioClient =>
    new AudioClient({ apiKey, baseUrl, maxRetries })

  test('is called before each attempt, retries included', async () => {
    let tries = 0
    const server = await startServer((_, response) => {
      tries += 1
      response.writeHead(tries === 1 ? 503 : 200, { 'retry-after': '0' }).end(EMPTY)
    })
    let count = 0
    const client = connectBy(server.url, async () => `key-number-${++count}`, 1)
    await client.models.list()
    await client.models.list()
    expect(sent(server, 'authorization')).toEqual([1, 2, 3].map((number) => `Bearer key-number-${number}`))
    await client.close()
  })

  test('is removed from errors of the service', async () => {
    const server = await startServer((_, response) => void response.writeHead(401).end(`${API_KEY} is unknown`))
    const error = await rejection(connectBy(server.url, () => API_KEY).models.list())
    expect(error).toMatchObject({ message: expect.stringContaining('[API key] is unknown') })
  })

  test('rejects the call with the error of the function before the request', async () => {
    const server = await startList()
    const failure = new Error('the vault is closed')
    const failed = rejection(connectBy(server.url, () => Promise.reject(failure)).models.list())
    expect(await failed).toBe(failure)
    expect(server.sockets).toHaveLength(0)
  })

  test('that never resolves does not block an abort', async () => {
    const controller = new AbortController()
    const client = connectBy('http://127.0.0.1:9', () => new Promise(() => {}))
    const failed = rejection(client.models.list({ signal: controller.signal }))
    controller.abort('enough')
    expect(await failed).toBe('enough')
  })
})

describe('an unknown option', () => {
  test('of a call is refused by its name before the request', async () => {
    const server = await startList()
    const client = connect(server.url)
    const options: CallOptions & { timeuot: number } = { timeuot: 1000 }
    await expect(client.models.list(options)).rejects.toThrow(
      new ConfigurationError('options of a call: Unknown option `timeuot`; did you mean `timeout`?'),
    )
    await expect(client.speech.stream(STREAM, { ...options, maxRetries: 1 })).rejects.toThrow(ConfigurationError)
    expect(server.sockets).toHaveLength(0)
  })

  test('of a wait is refused by its name', async () => {
    const options: WaitOptions & { pollIntervall: number } = { pollIntervall: 1000 }
    await expect(connect('http://127.0.0.1:9').tasks.wait('t', options)).rejects.toThrow(
      'options of a wait: Unknown option `pollIntervall`; did you mean `pollInterval`?',
    )
  })
})

describe('a wrong value of an option', () => {
  const BAD: readonly (readonly [string, unknown])[] = [
    ['timeout', 0],
    ['timeout', Number.NaN],
    ['timeout', '50'],
    ['idleEventsTimeout', -1],
    ['maxRetries', -1],
    ['maxRetries', 1.5],
    ['headers', 'x'],
  ]
  const message = (name: string): RegExp => new RegExp(`\`${name}\` must be `)

  test.each([...BAD, ['maxUploadBytes', 0], ['allowPrivateUrls', 'yes']] as const)(
    'of the client is refused by name: %s %j',
    (name, value) => {
      const options: object = { apiKey: API_KEY, baseUrl: 'http://127.0.0.1:9', [name]: value }
      expect(() => new AudioClient(options)).toThrow(message(name))
      expect(() => createFetchClient(options as FetchClientOptions)).toThrow(message(name))
      expect(() => connect('http://127.0.0.1:9').withOptions({ [name]: value })).toThrow(message(name))
    },
  )

  test.each([...BAD, ['retryAmbiguous', 1], ['idempotencyKey', 'a b'], ['onUploadProgress', true]] as const)(
    'of a call is refused by name before the request: %s %j',
    async (name, value) => {
      const options: CallOptions = { [name]: value }
      expect(await rejection(connect('http://127.0.0.1:9').models.list(options))).toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringMatching(message(name)),
      })
    },
  )

  test('of withOptions() and createFetchClient() is refused when its name is unknown', () => {
    const options: object = { apiKey: API_KEY, baseUrl: 'http://127.0.0.1:9', maxRetrys: 0 }
    const hint = 'Unknown option `maxRetrys`; did you mean `maxRetries`?'
    expect(() => createFetchClient(options as FetchClientOptions)).toThrow(`createFetchClient(): ${hint}`)
    expect(() => connect('http://127.0.0.1:9').withOptions(options)).toThrow(hint)
  })
})

test('the key is removed from the id of a request that a service repeats it in', async () => {
  const headers = { 'x-request-id': `for ${API_KEY}`, 'content-type': 'application/json' }
  const server = await startServer(({ url }, response) => {
    response.writeHead(url === '/v1/models' ? 200 : 404, headers).end('{"object":"list","data":[]}')
  })
  const requestId = 'for [API key]'
  const lines: unknown[] = []
  const client = connect(server.url, { logger: { debug: (_, fields) => void lines.push(fields) } })
  expect(await client.models.list().withResponse()).toMatchObject({ requestId, headers: { 'x-request-id': requestId } })
  expect(await rejection(client.tasks.retrieve('t'))).toMatchObject({ name: 'ApiError', requestId })
  expect(JSON.stringify(lines)).toContain(requestId)
  expect(JSON.stringify(lines)).not.toContain(API_KEY)
})

describe('withOptions', () => {
  test('changes only the given options', async () => {
    const server = await startList()
    const client = connect(server.url, { headers: { 'x-app': 'notes', 'x-tenant': 'a' } })
    const derived = client.withOptions({ apiKey: 'another', headers: { 'X-Tenant': 'b' } })
    await derived.models.list()
    await client.models.list()
    expect(sent(server, 'authorization')).toEqual(['Bearer another', `Bearer ${API_KEY}`])
    expect(sent(server, 'x-tenant')).toEqual(['b', 'a'])
    expect(sent(server, 'x-app')).toEqual(['notes', 'notes'])
  })

  test('shares connections, and closing the new client leaves them open', async () => {
    const server = await startList()
    const client = connect(server.url)
    // undici frees a connection a moment after the response is whole.
    const freed = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10))
    await client.models.list().then(freed)
    const derived = client.withOptions({ timeout: 60_000 })
    await derived.models.list().then(freed)
    await derived.close()
    await client.models.list()
    expect(server.sockets).toHaveLength(1)
  })

  test('disables retries, for a gateway that must not wait for Retry-After', async () => {
    const server = await startServer((_, response) => void response.writeHead(503, { 'retry-after': '60' }).end())
    const client = connect(server.url, { maxRetries: 2 })
    await expect(client.withOptions({ maxRetries: 0 }).models.list()).rejects.toMatchObject({ retryAfter: 60 })
    await expect(client.models.list({ maxRetries: 0 })).rejects.toMatchObject({ retryAfter: 60 })
    expect(server.requests).toHaveLength(2)
  })

  test('the error names the wrong option', () => {
    expect(() => connect('http://127.0.0.1:9').withOptions({ timeout: -1 })).toThrow(/timeout/)
  })

  test('notify() reaches the waits of a derived client, and closing that client ends only its own waits', async () => {
    let status = 'PROCESSING'
    const server = await startServer((request, response) =>
      respondJson(request, response, { id: 't', object: 'audio.speech', status, created_at: 1, retry_after: 3600 }),
    )
    const client = connect(server.url)
    const derived = client.withOptions({ apiKey: 'another' })
    const other = client.withOptions({ apiKey: 'third' })
    const waits = [client.tasks.wait('t'), derived.tasks.wait('t')]
    const closed = rejection(other.tasks.wait('t'))
    await until(() => server.requests.length === 3)
    await other.close()
    expect(await closed).toMatchObject({ name: 'ConnectionError' })
    status = 'SUCCESS'
    client.tasks.notify('t')
    expect(await Promise.all(waits)).toMatchObject([{ status }, { status }])
    expect(new Set(sent(server, 'authorization'))).toEqual(
      new Set([`Bearer ${API_KEY}`, 'Bearer another', 'Bearer third']),
    )
  })

  test('closing the first client ends the waits of every derived one', async () => {
    const server = await startServer((request, response) =>
      respondJson(request, response, {
        id: 't',
        object: 'audio.speech',
        status: 'PENDING',
        created_at: 1,
        retry_after: 9,
      }),
    )
    const client = connect(server.url)
    const closed = rejection(client.withOptions({ maxRetries: 1 }).tasks.wait('t'))
    await until(() => server.requests.length === 1)
    await client.close()
    expect(await closed).toMatchObject({ name: 'ConnectionError' })
  })
})
