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
  expect((await two.listResources()).resources).toHaveLength(0)
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

  test('without the token, and not with it', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client, token: TOKEN })
    const authorizations = ['', 'Bearer wrong', TOKEN, `Bearer ${TOKEN}x`]
    const answers = await Promise.all(authorizations.map((authorization) => post(url, { authorization })))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    await expect((await connect(url, { authorization: `Bearer ${TOKEN}` })).listTools()).resolves.toBeDefined()
  })

  test('from a page of another origin, to another path, and to an unknown session', async () => {
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

  test('not with a name in allowedHosts, in any case', async () => {
    const { client } = await startUpstream()
    const { url } = await serve({ client, allowedHosts: ['Audio.Example.com', '127.0.0.1'] })
    expect((await post(url, { origin: 'https://audio.example.com' })).status).not.toBe(403)
    expect((await post(url, { origin: 'https://localhost' })).status).toBe(403)
  })

  test('not with a loopback name and any port', () => {
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
  ['host', { host: '' }],
  ['allowedHosts', { allowedHosts: 'audio.example.com' as never }],
  ['allowedHosts', { allowedHosts: ['audio.example.com:80'] }],
  ['voice_id', { voice_id: '' }],
])('a wrong %s is refused by its name', async (option, options) => {
  const { client } = await startUpstream()
  const wrong = serveHttp({ client, voice_id: 'rms', store: memoryAudioStore(), port: 0, ...options })
  await expect(wrong).rejects.toThrow(option)
})

test('sessions are bounded', async () => {
  const { client } = await startUpstream()
  const { url } = await serve({ client, maxSessions: 1 })
  await connect(url)
  await expect(connect(url)).rejects.toThrow(/Too many sessions/)
})
