import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { memoryAudioStore } from '@svc-audio/agent-tools'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SessionEvents } from '../src/sessions.ts'
import { type RunningHttpServer, serveHttp, type ServeHttpOptions } from '../src/index.ts'
import { callTool, startUpstream } from './support.ts'

async function serve(options: Partial<ServeHttpOptions>): Promise<RunningHttpServer> {
  const { client } = await startUpstream()
  const server = await serveHttp({ client, voice_id: 'rms', store: memoryAudioStore(), port: 0, ...options })
  onTestFinished(() => server.close())
  return server
}

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

describe('pages in a browser', () => {
  const origin = 'https://chat.example.com'

  test('a page of a listed origin may call the server, also with a token', async () => {
    const { url } = await serve({ allowedOrigins: [origin], token: 'token-of-the-mcp-server' })
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'mcp-session-id' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin)
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization.*mcp-session-id/)
    const refused = await fetch(url, { method: 'POST', body: LIST, headers: { origin } })
    expect([refused.status, refused.headers.get('access-control-expose-headers')]).toEqual([
      401,
      expect.stringContaining('mcp-session-id'),
    ])
  })

  test.each(['https://evil.example', 'http://chat.example.com', 'https://chat.example.com:8443', 'null'])(
    'a page of %s gets no permission',
    async (other) => {
      const { url } = await serve({ allowedOrigins: [origin] })
      for (const method of ['OPTIONS', 'POST']) {
        const response = await fetch(url, { method, headers: { origin: other } })
        expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null])
      }
    },
  )
})

describe('tokens of an OAuth server', () => {
  const auth = {
    resource: 'https://audio.example.com/mcp',
    authorizationServers: ['https://login.example.com'],
    scopes: ['speech'],
    verifyToken: async (token: string) =>
      token.startsWith('good-')
        ? { token, clientId: 'chat', scopes: ['speech'], extra: { user: token.slice(5) } }
        : undefined,
  }

  test('a client without a token learns where to get one', async () => {
    const { url } = await serve({ auth, host: '127.0.0.1' })
    const refused = await fetch(url, { method: 'POST', body: LIST })
    const metadata = 'https://audio.example.com/.well-known/oauth-protected-resource/mcp'
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="${metadata}", scope="speech"`,
    ])
    const wrong = await fetch(url, { method: 'POST', body: LIST, headers: { authorization: 'Bearer bad' } })
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"')
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      await expect((await fetch(new URL(path, url))).json()).resolves.toEqual({
        resource: 'https://audio.example.com/mcp',
        authorization_servers: ['https://login.example.com'],
        bearer_methods_supported: ['header'],
        resource_name: 'svc-audio',
        scopes_supported: ['speech'],
      })
    }
  })

  test('the checked token names the user, and users are kept apart', async () => {
    const forRun = (context: unknown): { user: string } => ({
      user: (context as { authInfo: { extra: { user: string } } }).authInfo.extra.user,
    })
    const { url } = await serve({ auth, forRun })
    const [ann, bob] = await Promise.all(
      ['ann', 'bob'].map(async (user) => {
        const client = new Client({ name: 'tests', version: '1.0.0' })
        const requestInit = { headers: { authorization: `Bearer good-${user}` } }
        await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
        onTestFinished(() => client.close())
        return client
      }),
    )
    if (ann === undefined || bob === undefined) throw new Error('two clients connect')
    const spoken = await callTool(ann, 'speak', { text: 'Hello.' })
    const { id } = spoken.structuredContent as { id: string }
    await expect(callTool(ann, 'transcribe', { audio: id })).resolves.not.toMatchObject({ isError: true })
    await expect(callTool(bob, 'transcribe', { audio: id })).resolves.toMatchObject({ isError: true })
    expect((await bob.listResources()).resources).toEqual([])
  })

  test('metadata is there only with auth', async () => {
    const { url } = await serve({})
    expect((await fetch(new URL('/.well-known/oauth-protected-resource', url))).status).toBe(404)
  })

  test.each([
    ['auth.resource', { auth: { ...auth, resource: 'mcp' } }],
    ['auth.authorizationServers', { auth: { ...auth, authorizationServers: [] } }],
    ['auth.verifyToken', { auth: { ...auth, verifyToken: undefined as never } }],
    ['token` or `auth', { auth, token: 'token-of-the-mcp-server' }],
    ['allowedOrigins', { allowedOrigins: ['https://chat.example.com/'] }],
  ])('a wrong %s is refused by its name', async (name, options) => {
    await expect(serve(options)).rejects.toThrow(name)
  })
})

describe('a client whose connection broke', () => {
  const message = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} })

  test('gets the events of its stream that it missed, and none of another stream', async () => {
    const events = new SessionEvents()
    const first = await events.storeEvent('a', message(1))
    await events.storeEvent('b', message(2))
    await events.storeEvent('a', message(3))
    const missed: unknown[] = []
    const send = async (_: string, one: object): Promise<void> => void missed.push(one)
    await expect(events.replayEventsAfter(first, { send })).resolves.toBe('a')
    expect(missed).toEqual([message(3)])
  })

  test('is told to call again when the event is not stored any more, and memory stays bounded', async () => {
    const events = new SessionEvents({ maxEvents: 3, maxBytes: 1000 })
    const ids: string[] = []
    for (let id = 1; id <= 5; id += 1) ids.push(await events.storeEvent('a', message(id)))
    const send = (): Promise<void> => Promise.resolve()
    await expect(events.replayEventsAfter(ids[0] ?? '', { send })).rejects.toThrow('call again')
    await expect(events.replayEventsAfter(ids[2] ?? '', { send })).resolves.toBe('a')
    // One large event is stored alone.
    const large = await events.storeEvent('a', { jsonrpc: '2.0', id: 9, result: { text: 'x'.repeat(2000) } })
    await expect(events.getStreamIdForEventId(large)).resolves.toBe('a')
    await expect(events.getStreamIdForEventId(ids[4] ?? '')).resolves.toBeUndefined()
  })

  test('resumes a call of a session and gets its result', async () => {
    const { url } = await serve({})
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const send = (body: object, more: Record<string, string> = {}): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      })
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'broken', version: '1' } }
    const opened = await send({ id: 1, method: 'initialize', params })
    await opened.text()
    const session = {
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    }
    const call = await send(
      { id: 2, method: 'tools/call', params: { name: 'speak', arguments: { text: 'Hi.' } } },
      session,
    )
    const [, event = ''] = /^id: (\S+)$/m.exec(await call.text()) ?? []
    const resumed = await fetch(url, { headers: { ...session, accept: 'text/event-stream', 'last-event-id': event } })
    let text = ''
    for await (const chunk of resumed.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (text.includes('Spoken')) break
    }
    expect(text).toContain('Spoken')
  })
})
