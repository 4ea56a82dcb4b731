import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo, connect as connectSocket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ProxyAgent } from 'undici'
import { Agent as OldAgent } from 'undici6'
import { AudioClient, nodeTransport } from '../src/index.ts'
import { API_KEY, rejection } from './support/clients.ts'
import { closedPort, startServer } from './support/servers.ts'
import { pcm, SPEECH } from './support/speech.ts'

/** A proxy that tunnels, and the hosts that it was asked for. */
async function startProxy(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const proxy: Server = createServer()
  proxy.on('connect', ({ url = '' }, socket, head) => {
    asked.push(url)
    const [host = '', port] = url.split(':')
    const upstream = connectSocket(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.write(head)
      upstream.pipe(socket).pipe(upstream)
    })
    for (const end of [socket, upstream]) end.on('error', () => {})
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked }
}

function connectBy(proxy: string, baseUrl: string): AudioClient {
  const dispatcher = new ProxyAgent({ uri: proxy, proxyTunnel: true })
  const client = new AudioClient({ apiKey: API_KEY, baseUrl, maxRetries: 0, transport: nodeTransport({ dispatcher }) })
  onTestFinished(() => dispatcher.destroy())
  return client
}

test('calls and uploads go through a proxy passed as a dispatcher', async () => {
  const audio = pcm(300_000)
  const received: Buffer[] = []
  const server = await startServer(async (request, response) => {
    for await (const chunk of request) received.push(chunk as Buffer)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"Good morning"}')
  })
  const proxy = await startProxy()
  const client = connectBy(proxy.url, server.url)
  expect(await client.transcriptions.create({ model: 'svc-transcribe-1.0', file: audio })).toEqual({
    text: 'Good morning',
  })
  expect(Buffer.concat(received).includes(Buffer.from(audio))).toBe(true)
  expect(proxy.asked).toEqual([new URL(server.url).host])
})

test('closing the client does not close the dispatcher of the caller', async () => {
  const server = await startServer((_, response) => void response.end('{"object":"list","data":[]}'))
  const proxy = await startProxy()
  const client = connectBy(proxy.url, server.url)
  await client.models.list()
  await client.close()
  expect(await client.models.list()).toMatchObject({ object: 'list' })
})

test('an unreachable proxy throws ConnectionError', async () => {
  const client = connectBy(await closedPort(), 'http://127.0.0.1:9')
  expect(await rejection(client.speech.create(SPEECH))).toMatchObject({ name: 'ConnectionError' })
})

test.each([
  ['1', true],
  ['0', false],
])('with NODE_USE_ENV_PROXY=%s, calls go through the proxy of the environment: %s', async (value, isProxied) => {
  const asked: string[] = []
  const server = await startServer((_, response) => void response.end('{"object":"list","data":[]}'))
  const proxy = await startServer(({ url = '' }, response) => {
    asked.push(url)
    response.end('{"object":"list","data":[]}')
  })
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const name of ['HTTP_PROXY', 'http_proxy']) vi.stubEnv(name, proxy.url)
  for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '')
  vi.stubEnv('NODE_USE_ENV_PROXY', value)
  const client = new AudioClient({ apiKey: API_KEY, baseUrl: server.url, maxRetries: 0 })
  onTestFinished(() => client.close())
  await client.models.list()
  expect(asked).toEqual(isProxied ? [`${server.url}/v1/models`] : [])
})

test('NO_PROXY excludes a host from the proxy of the environment', async () => {
  const server = await startServer((_, response) => void response.end('{"object":"list","data":[]}'))
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('HTTP_PROXY', await closedPort())
  vi.stubEnv('NO_PROXY', '127.0.0.1')
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  const client = new AudioClient({ apiKey: API_KEY, baseUrl: server.url, maxRetries: 0 })
  onTestFinished(() => client.close())
  expect(await client.models.list()).toMatchObject({ object: 'list' })
})

test('a dispatcher of undici 6 throws ConfigurationError, which names the versions, and sends nothing', async () => {
  const received: string[] = []
  const server = await startServer(({ url = '' }, response) => {
    received.push(url)
    response.end('{}')
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the mistake of an app in JavaScript
  const transport = nodeTransport({ dispatcher: new OldAgent() as never })
  const client = new AudioClient({ apiKey: API_KEY, baseUrl: server.url, transport })
  const calls = [client.models.list(), client.transcriptions.create({ model: 'svc-transcribe-1.0', file: pcm(100) })]
  for (const call of calls) {
    expect(await rejection(call)).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(/undici 6 or older.*install undici 7 or later/),
    })
  }
  expect(received).toEqual([])
})
