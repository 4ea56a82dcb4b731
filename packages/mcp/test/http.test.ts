import { once } from 'node:events'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { memoryAudioStore } from '@svc-audio/agent-tools'
import { silence } from '@svc-audio/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isAllowedHost, isAllowedOrigin } from '../src/http-guards.ts'
import { type RunningHttpServer, serveHttp, type ServeHttpOptions } from '../src/index.ts'
import { callTool, startUpstream, textOf } from './support.ts'

const TOKEN = 'token-of-the-mcp-server'

async function serve(
  options: Pick<ServeHttpOptions, 'client'> & Partial<ServeHttpOptions>,
): Promise<RunningHttpServer> {
  const server = await serveHttp({ voice_id: 'rms', store: memoryAudioStore(), port: 0, ...options })
  onTestFinished(() => server.close())
  return server
}

async function connect(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'tests', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

test('two clients have sessions of their own over the same tools', async () => {
  const { client } = await startUpstream()
  const { url } = await serve({ client })
  const [one, two] = [await connect(url), await connect(url)]
  const spoken = await callTool(one, 'speak', { text: 'Hello.' })
  expect(textOf(spoken)).toMatch(/^Spoken/)
  expect((await one.listResources()).resources).toHaveLength(1)
  // The store has it for every session of the same user.
  expect((await two.listResources()).resources).toHaveLength(1)
})

test('a cancelled call ends the request upstream, and so does closing the server', async () => {
  const { client, upstream } = await startUpstream(silence)
  const server = await serve({ client })
  const mcp = await connect(server.url)
  const controller = new AbortController()
  const call = callTool(mcp, 'speak', { text: 'Hello.' }, { signal: controller.signal })
  const ended = call.catch((error: unknown) => error)
  const request = await upstream.waitForRequest()
  controller.abort()
  await expect(ended).resolves.toBeInstanceOf(Error)
  await expect(request.closed()).resolves.toBe('closedByClient')
  const next = upstream.waitForRequest()
  const other = callTool(mcp, 'speak', { text: 'Hello again.' }).catch((error: unknown) => error)
  const second = await next
  await server.close()
  await expect(second.closed()).resolves.toBe('closedByClient')
  await mcp.close()
  await expect(other).resolves.toBeInstanceOf(Error)
})

describe('a request is refused', () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const post = (url: string, headers: Record<string, string>): Promise<Response> =>
    fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

  test('a request is refused without the token, and not with it', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client, token: TOKEN })
    const authorizations = ['', 'Bearer wrong', TOKEN, `Bearer ${TOKEN}x`]
    const answers = await Promise.all(authorizations.map((authorization) => post(url, { authorization })))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    await expect((await connect(url, { authorization: `Bearer ${TOKEN}` })).listTools()).resolves.toBeDefined()
  })

  test('a request is refused from a page of another origin, to another path, and to an unknown session', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client })
    expect((await post(url, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await post(url.replace('/mcp', '/'), {})).status).toBe(404)
    const unknown = { 'mcp-session-id': 'none', accept: 'application/json, text/event-stream' }
    expect((await post(url, unknown)).status).toBe(404)
  })

  test.each(['evil.example', 'localhost.evil.example:80', 'localhost@evil.example', '', undefined, '127.0.0.1.nip.io'])(
    'with the host %s',
    (host) => {
      expect(isAllowedHost(host, ['localhost', '127.0.0.1', '[::1]'])).toBe(false)
    },
  )

  test('a request is refused not with a name in allowedHosts, in any case', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client, allowedHosts: ['Audio.Example.com', '127.0.0.1'] })
    expect((await post(url, { origin: 'https://audio.example.com' })).status).not.toBe(403)
    expect((await post(url, { origin: 'https://localhost' })).status).toBe(403)
  })

  test('a request is refused not with a loopback name and any port', () => {
    const hosts = ['localhost', '127.0.0.1', '[::1]']
    expect(['localhost:1', '127.0.0.1', '[::1]:80'].every((host) => isAllowedHost(host, hosts))).toBe(true)
    expect(isAllowedOrigin('http://localhost:3000', hosts)).toBe(true)
  })
})

test.each([
  ['token', { host: '0.0.0.0' }],
  ['token', { token: 'short' }],
  ['port', { port: 70_000 }],
  ['maxSessions', { maxSessions: 0 }],
  ['idleTimeout', { idleTimeout: 0 }],
  ['stateless', { stateless: 'yes' as never }],
  ['host', { host: '' }],
  ['allowedHosts', { allowedHosts: 'audio.example.com' as never }],
  ['allowedHosts', { allowedHosts: ['audio.example.com:80'] }],
  ['voice_id', { voice_id: '' }],
])('a wrong %s is refused by its name', async (option, options) => {
  const { client } = await startUpstream()
  const wrong = serveHttp({ client, voice_id: 'rms', store: memoryAudioStore(), port: 0, ...options })
  await expect(wrong).rejects.toThrow(option)
})

describe('sessions', () => {
  test('a new client closes the least recently used session that nobody uses', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client, maxSessions: 2 })
    const gone = await Promise.all([initialize(url), initialize(url)])
    expect(gone.map(({ status }) => status)).toEqual([200, 200])
    const [first, second] = gone.map(({ headers }) => headers.get('mcp-session-id') ?? '')
    await ask(url, first)
    await connect(url)
    expect((await ask(url, second)).status).toBe(404)
    expect((await ask(url, first)).status).toBe(200)
  })

  test('1,000 clients that leave without a word lock nobody out', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client })
    for (let left = 1000; left > 0; left -= 1) expect((await initialize(url)).status).toBe(200)
    await expect((await connect(url)).listTools()).resolves.toBeDefined()
    // 1,000 sessions take 4 s; a busy machine needs more.
  }, 600_000)

  test('clients whose first requests come slowly have at most maxSessions sessions together', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client, maxSessions: 5 })
    const rest = Promise.withResolvers<undefined>()
    const starting = Array.from({ length: 20 }, () => initializeSlowly(url, rest.promise))
    await Promise.all(starting.map(({ sent }) => sent))
    rest.resolve(undefined)
    const started = await Promise.all(starting.map(({ response }) => response))
    const ids = started.flatMap(({ headers }) => headers['mcp-session-id'] ?? [])
    const open = await Promise.all(ids.map(async (id) => (await ask(url, id)).status))
    expect(open.filter((status) => status === 200)).toHaveLength(5)
    expect(started.filter(({ statusCode }) => statusCode === 503)).toHaveLength(15)
  })

  test('a session with a call in flight is never closed for a new client', async () => {
    const { client, upstream } = await startUpstream(silence)
    const { url } = await serve({ client, maxSessions: 1 })
    callTool(await connect(url), 'speak', { text: 'Hello.' }).catch(() => {})
    await upstream.waitForRequest()
    await expect(connect(url)).rejects.toThrow(/Every session is in use: come back later, or raise maxSessions/)
  })

  test('a session without requests for the idle time is closed', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client, idleTimeout: 50 })
    const session = (await initialize(url)).headers.get('mcp-session-id') ?? ''
    await expect.poll(async () => (await ask(url, session)).status, { timeout: 30_000, interval: 200 }).toBe(404)
  })
})

describe('a stateless server', () => {
  test('runs a tool for every client without a session', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client, stateless: true })
    const [one, two] = [await connect(url), await connect(url)]
    expect(textOf(await callTool(one, 'speak', { text: 'Hello.' }))).toMatch(/^Spoken/)
    expect(textOf(await callTool(two, 'speak', { text: 'Hello.' }))).toMatch(/^Spoken/)
    expect((await initialize(url)).headers.get('mcp-session-id')).toBeNull()
  })

  test('answers 405 to a request for a stream or for the end of a session', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client, stateless: true })
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(url, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  test('aborts the upstream request of a client that goes away', async () => {
    const { client, upstream } = await startUpstream(silence)
    const { url } = await serve({ client, stateless: true })
    const controller = new AbortController()
    const body = { method: 'tools/call', params: { name: 'speak', arguments: { text: 'Hello.' } } }
    const call = send(url, body, {}, controller.signal).catch((error: unknown) => error)
    const request = await upstream.waitForRequest()
    controller.abort()
    await expect(request.closed()).resolves.toBe('closedByClient')
    await call
  })
})

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'gone', version: '1' } },
}

/** Starts a session with a request whose body stops after its first byte until `rest` resolves. */
function initializeSlowly(
  url: string,
  rest: Promise<undefined>,
): { readonly sent: Promise<unknown>; readonly response: Promise<IncomingMessage> } {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...INITIALIZE })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': Buffer.byteLength(body),
    // The server answers when the request has reached it.
    expect: '100-continue',
  }
  const sending = sendRequest(url, { method: 'POST', headers, agent: false })
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('error', reject).once('response', (answer) => resolve(answer.resume()))
  })
  const sent = Promise.race([once(sending, 'continue'), response]).then(() => sending.write(body.slice(0, 1)))
  void rest.then(() => sending.end(body.slice(1)))
  return { sent, response }
}

const initialize = (url: string): Promise<Response> => send(url, INITIALIZE)

const ask = (url: string, session = ''): Promise<Response> =>
  send(url, { method: 'tools/list', params: {} }, { 'mcp-session-id': session })

/** Sends one message and reads its answer, as a client that says nothing more. */
async function send(
  url: string,
  message: object,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    ...(signal === undefined ? {} : { signal }),
  })
  await response.text()
  return response
}
