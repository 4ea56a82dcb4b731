import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { serverUrl } from '@svc-audio/testing'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws'
import { VOICE_CLOSE } from '../protocol/messages.ts'
import { Connection, type ConnectionOptions, type VoiceEnd } from './connection.ts'

/** A connection of a client, as the server sees it. */
interface Peer {
  readonly socket: ServerSocket
  /** The TCP connection below. */
  readonly tcp: Socket
  /** Texts as objects, and lengths of binary frames, in their order. */
  readonly received: unknown[]
}

/** A server of the protocol that does what a test says. */
class ScriptedServer {
  readonly peers: Peer[] = []
  readonly #http: Server = createServer()
  readonly #waiting = new Set<() => void>()

  static async start(): Promise<ScriptedServer> {
    const server = new ScriptedServer()
    const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
    server.#http.on('upgrade', (request, tcp: Socket, head) => {
      sockets.handleUpgrade(request, tcp, head, (socket) => server.#add(socket, tcp))
    })
    server.#http.listen(0, '127.0.0.1')
    await once(server.#http, 'listening')
    onTestFinished(() => {
      for (const { socket } of server.peers) socket.terminate()
      server.#http.closeAllConnections()
      server.#http.close()
    })
    return server
  }

  get url(): string {
    return serverUrl(this.#http, 'ws')
  }

  /** Waits for the connection of this number, from 0. */
  async peer(number: number): Promise<Peer> {
    let peer = this.peers[number]
    while (peer === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      await promise
      peer = this.peers[number]
    }
    return peer
  }

  #add(socket: ServerSocket, tcp: Socket): void {
    const received: unknown[] = []
    socket.on('message', (data: Buffer, isBinary) =>
      received.push(isBinary ? data.byteLength : JSON.parse(data.toString())),
    )
    socket.on('error', () => {})
    this.peers.push({ socket, tcp, received })
    for (const wake of this.#waiting) wake()
  }
}

/** What a connection told its owner, in order. */
let told: unknown[]

beforeEach(() => {
  told = []
  // The waits between attempts are short.
  vi.spyOn(Math, 'random').mockReturnValue(-0.98)
  return () => vi.restoreAllMocks()
})

function connect(url: string, options: Partial<ConnectionOptions> = {}): Connection {
  const connection = new Connection({
    url,
    token: undefined,
    sampleRate: 16_000,
    session: undefined,
    settings: () => ({}),
    maxReconnects: 3,
    onReady: (resumed) => told.push(resumed ? 'resumed' : 'ready'),
    onMessage: (message) => told.push(message),
    onAudio: (pcm) => told.push(pcm.byteLength),
    onLost: () => told.push('lost'),
    onEnd: (end) => told.push(end),
    ...options,
  })
  onTestFinished(() => connection.close())
  return connection
}

const ready = ({ socket }: Peer, session = 'secret', resumed = false): void =>
  socket.send(JSON.stringify({ type: 'ready', protocol: 1, session, resumed }))

const ends = (): VoiceEnd[] =>
  told.filter((item): item is VoiceEnd => typeof item === 'object' && item !== null && 'code' in item)

const tells = (...items: readonly unknown[]): Promise<void> => expect.poll(() => told).toEqual(items)

describe('a connection', () => {
  test('starts with its format and its token, and sends audio only after ready', async () => {
    const server = await ScriptedServer.start()
    const connection = connect(server.url, { token: () => Promise.resolve('key') })
    expect(connection.sendAudio(new ArrayBuffer(640))).toBe(false)
    const peer = await server.peer(0)
    const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
    await expect.poll(() => peer.received).toEqual([{ type: 'start', protocol: 1, format, token: 'key' }])
    expect(connection.sendAudio(new ArrayBuffer(640))).toBe(false)
    ready(peer)
    await tells('ready')
    expect(connection.sendAudio(new ArrayBuffer(640))).toBe(true)
    connection.send({ type: 'played', turn: 1, seconds: 0.5 })
    expect(connection.sendAudio(new ArrayBuffer(320))).toBe(true)
    await expect.poll(() => peer.received.slice(1)).toEqual([640, { type: 'played', turn: 1, seconds: 0.5 }, 320])
  })

  test('hands on texts and audio in the order of the server', async () => {
    const server = await ScriptedServer.start()
    connect(server.url)
    const peer = await server.peer(0)
    ready(peer)
    for (let index = 1; index <= 50; index += 1) {
      peer.socket.send(new Uint8Array(index * 2))
      peer.socket.send(JSON.stringify({ type: 'agent_chunk', text: `${index}`, ts: 0 }))
    }
    const expected = Array.from({ length: 50 }, (_, index) => [
      (index + 1) * 2,
      { type: 'agent_chunk', text: `${index + 1}`, ts: 0 },
    ])
    await expect.poll(() => told).toEqual(['ready', ...expected.flat()])
  })

  test('drops audio while too much of it waits to be sent', async () => {
    const server = await ScriptedServer.start()
    const connection = connect(server.url)
    const peer = await server.peer(0)
    ready(peer)
    await tells('ready')
    peer.tcp.pause()
    const sent = Array.from({ length: 400 }, () => connection.sendAudio(new ArrayBuffer(64_000)))
    expect(sent).toContain(false)
    peer.tcp.resume()
    await expect.poll(() => connection.sendAudio(new ArrayBuffer(640))).toBe(true)
  })
})

describe('a lost connection', () => {
  test('that is cut in the middle of a frame hands on nothing of it, and continues its session', async () => {
    const server = await ScriptedServer.start()
    const connection = connect(server.url)
    const first = await server.peer(0)
    ready(first)
    first.socket.send(new Uint8Array(4))
    await tells('ready', 4)
    // The head of a binary frame of 1,000 bytes, and ten of them.
    first.tcp.write(Uint8Array.of(0x82, 126, 0x03, 0xe8, ...Array<number>(10).fill(1)))
    first.tcp.destroySoon()
    const second = await server.peer(1)
    expect(connection.sendAudio(new ArrayBuffer(640))).toBe(false)
    await expect.poll(() => second.received).toMatchObject([{ type: 'start', session: 'secret' }])
    ready(second, 'secret', true)
    await tells('ready', 4, 'lost', 'resumed')
  })

  test('that is cut in the middle of a text does the same', async () => {
    const server = await ScriptedServer.start()
    connect(server.url)
    const first = await server.peer(0)
    ready(first)
    await tells('ready')
    first.tcp.write(Buffer.concat([Uint8Array.of(0x81, 60), Buffer.from('{"type":"agent_end","te')]))
    first.tcp.destroySoon()
    ready(await server.peer(1), 'secret', true)
    await expect.poll(() => told).toEqual(['ready', 'lost', 'resumed'])
  })

  test('takes the session that the server named last', async () => {
    const server = await ScriptedServer.start()
    connect(server.url)
    for (const [number, session] of ['one', 'two', 'three'].entries()) {
      const peer = await server.peer(number)
      ready(peer, session)
      await expect.poll(() => told.filter((item) => item === 'ready')).toHaveLength(number + 1)
      peer.socket.terminate()
    }
    const last = await server.peer(3)
    await expect.poll(() => last.received).toMatchObject([{ session: 'three' }])
  })

  test('asks for a new token each time', async () => {
    const server = await ScriptedServer.start()
    let tokens = 0
    connect(server.url, { token: () => `token ${(tokens += 1)}` })
    const first = await server.peer(0)
    ready(first)
    await tells('ready')
    first.socket.terminate()
    const second = await server.peer(1)
    await expect.poll(() => second.received).toMatchObject([{ token: 'token 2' }])
  })

  test('ends after maxReconnects attempts in a row, and a success begins the count again', async () => {
    const server = await ScriptedServer.start()
    connect(server.url, { maxReconnects: 2 })
    const first = await server.peer(0)
    first.socket.terminate()
    const second = await server.peer(1)
    ready(second)
    await tells('lost', 'ready')
    second.socket.terminate()
    for (const number of [2, 3]) (await server.peer(number)).socket.terminate()
    await expect.poll(ends).toMatchObject([{ code: 1006 }])
    expect(told.slice(0, -1)).toEqual(['lost', 'ready', 'lost', 'lost'])
    expect(server.peers).toHaveLength(4)
  })
})

describe('the close code decides', () => {
  const RECONNECTING: ReadonlySet<string> = new Set(['restart', 'busy', 'idle', 'tooSlow', 'failed'])

  test.each(Object.entries(VOICE_CLOSE))('%s (%d) ends the conversation, or connects again', async (name, code) => {
    const server = await ScriptedServer.start()
    connect(server.url)
    const peer = await server.peer(0)
    ready(peer)
    await tells('ready')
    peer.socket.close(code, `because of ${name}`)
    const isOver = !RECONNECTING.has(name)
    await expect.poll(() => told).toEqual(['ready', isOver ? { code, reason: `because of ${name}` } : 'lost'])
    if (!isOver) await server.peer(1)
  })
})

describe('a server that does not speak the protocol', () => {
  test.each([
    ['a text that is not JSON', '{"type":"agent'],
    ['a text that is no object', '7'],
    ['an object without a type', '{}'],
  ])('ends the conversation with %s', async (_name, text) => {
    const server = await ScriptedServer.start()
    const connection = connect(server.url)
    const peer = await server.peer(0)
    ready(peer)
    peer.socket.send(text)
    await tells('ready', { code: 4400, reason: 'The server sent a text that the protocol does not have' })
    await expect.poll(() => peer.socket.readyState).toBe(peer.socket.CLOSED)
    expect(connection.sendAudio(new ArrayBuffer(640))).toBe(false)
    expect(server.peers).toHaveLength(1)
  })

  test('ends the conversation when it speaks no WebSocket at all', async () => {
    const http = createServer((_request, response) => response.writeHead(404).end())
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    connect(serverUrl(http, 'ws'), { maxReconnects: 1 })
    await expect.poll(ends).toMatchObject([{ code: 1006 }])
    expect(told[0]).toBe('lost')
  })
})

describe('close()', () => {
  test('tells nothing more, though frames are still on their way', async () => {
    const server = await ScriptedServer.start()
    const connection = connect(server.url)
    const peer = await server.peer(0)
    ready(peer)
    await tells('ready')
    connection.close()
    for (let index = 0; index < 20; index += 1) peer.socket.send('{"type":"stt_output","transcript":"late","ts":0}')
    peer.socket.send(new Uint8Array(4))
    await expect.poll(() => peer.socket.readyState).toBe(peer.socket.CLOSED)
    expect(told).toEqual(['ready'])
  })

  test('before the token is there opens no connection', async () => {
    const server = await ScriptedServer.start()
    const { promise: token, resolve } = Promise.withResolvers<string>()
    connect(server.url, { token: () => token }).close()
    resolve('key')
    await new Promise((passed) => setTimeout(passed, 50))
    expect(server.peers).toEqual([])
    expect(told).toEqual([])
  })

  test('while it waits to reconnect ends the wait', async () => {
    vi.mocked(Math.random).mockReturnValue(0.9)
    const server = await ScriptedServer.start()
    const connection = connect(server.url)
    const peer = await server.peer(0)
    peer.socket.terminate()
    await tells('lost')
    connection.close()
    await new Promise((passed) => setTimeout(passed, 400))
    expect(server.peers).toHaveLength(1)
  })
})

test('a token that cannot be had ends the conversation as unauthorized', async () => {
  const server = await ScriptedServer.start()
  connect(server.url, { token: () => Promise.reject(new Error('signed out')) })
  await tells({ code: 4401, reason: 'The token could not be had: Error: signed out' })
  expect(server.peers).toEqual([])
})
