import { once } from 'node:events'
import { createServer } from 'node:http'
import { serve, upgradeWebSocket } from '@hono/node-server'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { WsAdapter } from '@nestjs/platform-ws'
import { WebSocketGateway } from '@nestjs/websockets'
import { serverUrl } from '@svc-audio/testing'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { voiceEvent, VoiceServer, type VoiceServerOptions } from '../src/index.ts'
import { voiceEvents } from '../src/hono/index.ts'
import { VoiceGateway } from '../src/nestjs/index.ts'
import { attachVoice } from '../src/node/index.ts'
import { AUDIO, FORMAT, talk } from './support/talk.ts'

/** Answers each piece of the microphone with the same audio. */
const ECHO: VoiceServerOptions = {
  onError: () => {},
  limits: { frameBytes: 4096 },
  async *converse({ microphone }) {
    for await (const audio of microphone) yield voiceEvent({ type: 'tts_chunk', audio, format: FORMAT })
  },
}

@WebSocketGateway({ path: '/voice' })
class Echo extends VoiceGateway {
  constructor() {
    super(ECHO)
  }
}

@Module({ providers: [Echo] })
class App {}

const FRAMEWORKS: Readonly<Record<string, () => Promise<string>>> = {
  async Node() {
    const server = createServer()
    const attached = attachVoice(server, { voice: new VoiceServer(ECHO) })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(async () => {
      await attached.close()
      server.closeAllConnections()
      server.close()
    })
    return new URL(serverUrl(server)).host
  },
  async Hono() {
    const voice = new VoiceServer(ECHO)
    const app = new Hono()
    app.get('/voice', upgradeWebSocket(voiceEvents(voice)))
    const sockets = new WebSocketServer({ noServer: true })
    const { promise, resolve } = Promise.withResolvers<number>()
    const server = serve(
      { fetch: app.fetch, port: 0, hostname: '127.0.0.1', websocket: { server: sockets as never } },
      (info) => resolve(info.port),
    )
    onTestFinished(async () => {
      await voice.close()
      server.close()
    })
    return `127.0.0.1:${await promise}`
  },
  async Nest() {
    const app = await NestFactory.create(App, { logger: false })
    app.useWebSocketAdapter(new WsAdapter(app))
    await app.listen(0, '127.0.0.1')
    onTestFinished(() => app.close())
    return new URL(await app.getUrl()).host
  },
}

describe.each(Object.entries(FRAMEWORKS))('%s', (_name, start) => {
  test('passes texts and audio in both directions', async () => {
    const talker = await talk(`ws://${await start()}/voice`)
    await talker.start()
    talker.socket.send(AUDIO)
    await talker.next('audio_format')
    await expect.poll(() => talker.audio.length).toBe(1)
    expect(Buffer.from(talker.audio[0] ?? []).equals(AUDIO)).toBe(true)
  })

  test('refuses a foreign page', async () => {
    const talker = await talk(`ws://${await start()}/voice`, { origin: 'https://evil.example' })
    expect(await talker.closed()).toMatchObject({ code: 4403 })
  })

  test('closes a connection that breaks the protocol, with the reason', async () => {
    const talker = await talk(`ws://${await start()}/voice`)
    talker.socket.send('hello')
    expect(await talker.closed()).toEqual({ code: 4400, reason: 'The text is not JSON' })
  })

  test('ends a connection with a frame over the limit', async () => {
    const talker = await talk(`ws://${await start()}/voice`)
    await talker.start()
    talker.socket.send(new Uint8Array(5000))
    const { code } = await talker.closed()
    expect([1009, 4413]).toContain(code)
  })
})

test('upgrades of other paths are left to the application', async () => {
  const server = createServer()
  const { close } = attachVoice(server, { voice: new VoiceServer(ECHO), path: '/talk' })
  const others = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/other') others.handleUpgrade(request, socket, head, (other) => other.close(4999, 'other'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = serverUrl(server, 'ws')
  const [code] = (await once(new WebSocket(`${url}/other`), 'close')) as [number]
  expect(code).toBe(4999)
  const talker = await talk(`${url}/talk?room=1`)
  expect(await talker.start()).toMatchObject({ type: 'ready' })
  await close()
  expect(await talker.closed()).toMatchObject({ code: 1012 })
  server.closeAllConnections()
  server.close()
})

test.each<[message: string, options: object]>([
  ['`voice` must be an object with the method accept', { voice: {} }],
  ["`path` must be a path such as '/voice'", { voice: new VoiceServer(ECHO), path: 'voice' }],
])('a wrong option of attachVoice is refused at once: %s', (message, options) => {
  expect(() => attachVoice(createServer(), options as never)).toThrow(message)
})
