import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo, connect as connectSocket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ProxyAgent } from 'undici'
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
