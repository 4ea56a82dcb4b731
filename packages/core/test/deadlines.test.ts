import { describe, expect, test } from 'vitest'
import { ConnectionError, TimeoutError } from '../src/index.ts'
import { collect, connect, rejection, until } from './support/clients.ts'
import { closedByClient, closedPort, startRawServer, startServer } from './support/servers.ts'
import { CREATED, delta, DONE, frames, openEvents, pcm, PCM_HEADERS, SPEECH, STREAM } from './support/speech.ts'
import { startStalledListener } from './support/stalled-listener.ts'
import { watchedClient } from './support/watched-client.ts'

const AUDIO = pcm(4000)
const RAW = { ...STREAM, stream_format: 'audio' } as const
const SHORT = 60

/** The phase that a call timed out in, or whatever else it failed with. */
async function phaseOf(call: Promise<unknown>): Promise<unknown> {
  const error = await rejection(call)
  return error instanceof TimeoutError ? error.phase : error
}

describe('the deadline of a whole call', () => {
  test('ends the wait for a response, and the connection', async () => {
    const leaving: Promise<'left'>[] = []
    const server = await startServer((_, response) => void leaving.push(closedByClient(response)))
    const { client, expire } = watchedClient(server.url, 1234)
    const failed = rejection(client.models.list())
    await until(() => leaving.length === 1)
    expire()
    expect(await failed).toBeInstanceOf(TimeoutError)
    expect(await failed).toMatchObject({ phase: 'total', message: expect.stringContaining('1234 ms') })
    expect(await leaving[0]).toBe('left')
  })

  test('ends the wait for a connection', async () => {
    const { client, expire, timers } = watchedClient(await startStalledListener())
    const failed = phaseOf(client.models.list())
    await until(() => timers() === 1)
    expire()
    expect(await failed).toBe('total')
  })

  test('ends the wait for speech.created', async () => {
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(': open\n\n')
    })
    const { client, expire } = watchedClient(server.url)
    const failed = phaseOf(client.speech.stream(STREAM))
    await until(() => server.requests.length === 1)
    expire()
    expect(await failed).toBe('total')
  })

  test('covers the body, of audio, of events and of raw PCM', async () => {
    const leaving: Promise<'left'>[] = []
    const server = await startServer((request, response) => {
      leaving.push(closedByClient(response))
      if (request.headers.accept === 'text/event-stream') {
        openEvents(response)
        response.write(frames(CREATED, delta(AUDIO)))
      } else response.writeHead(200, { ...PCM_HEADERS }).write(AUDIO)
    })
    const { client, expire } = watchedClient(server.url)
    const audio = await client.speech.create(SPEECH)
    const events = await client.speech.stream(STREAM)
    const raw = await client.speech.stream(RAW)
    const failures = [phaseOf(audio.bytes()), phaseOf(collect(events)), phaseOf(collect(raw))]
    expire()
    expect(await Promise.all(failures)).toEqual(['total', 'total', 'total'])
    expect(await Promise.all(leaving)).toEqual(['left', 'left', 'left'])
  })

  test('comes from the client, unless the call has its own', async () => {
    const server = await startServer((_, response) => void response.end('{}'))
    const { client, deadlines } = watchedClient(server.url, 60)
    await client.models.list()
    await client.models.list({ timeout: 20_000 })
    expect(deadlines).toEqual([60, 20_000])
  })

  test('passes by itself', async () => {
    const server = await startServer(() => {})
    expect(await phaseOf(connect(server.url, { timeout: SHORT }).models.list())).toBe('total')
  })

  test.each([2 ** 31, 2 ** 40, Infinity])(
    'of %d ms, more than a timer holds, does not pass at once',
    async (timeout) => {
      const server = await startServer((_, response) => {
        setTimeout(() => response.end('{}'), 50)
      })
      await expect(connect(server.url, { timeout }).models.list()).resolves.toEqual({})
    },
  )
})

describe('the deadlines of the transport', () => {
  test('a connection that is not established in time', async () => {
    const client = connect(await startStalledListener(), { connectTimeout: SHORT })
    expect(await phaseOf(client.models.list())).toBe('connect')
  })

  test('headers that do not arrive in time', async () => {
    const leaving: Promise<'left'>[] = []
    const server = await startServer((_, response) => void leaving.push(closedByClient(response)))
    expect(await phaseOf(connect(server.url, { headersTimeout: SHORT }).models.list())).toBe('headers')
    await until(() => leaving.length === 1)
    expect(await leaving[0]).toBe('left')
  })

  test('a body that falls silent', async () => {
    const leaving: Promise<'left'>[] = []
    const server = await startServer((request, response) => {
      leaving.push(closedByClient(response))
      if (request.headers.accept === 'text/event-stream') {
        openEvents(response)
        response.write(frames(CREATED, delta(AUDIO)))
      } else response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(AUDIO)
    })
    const { speech } = connect(server.url, { idleTimeout: SHORT })
    expect(await phaseOf(speech.create(SPEECH).then((audio) => audio.bytes()))).toBe('idle')
    expect(await phaseOf(speech.stream(STREAM).then((stream) => collect(stream)))).toBe('idle')
    expect(await Promise.all(leaving)).toEqual(['left', 'left'])
  })

  test('an error body that falls silent still gives an error with its status', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(503, { 'content-type': 'text/plain' }).write('try la')
    })
    const error = await rejection(connect(server.url, { idleTimeout: SHORT }).models.list())
    expect(error).toMatchObject({ name: 'ApiError', status: 503, retryable: true })
  })

  test('a slow reader is not a silent body', async () => {
    const chunks = Array.from({ length: 64 }, (_, seed) => pcm(65_536, seed + 1))
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      for (const chunk of chunks) response.write(chunk)
      response.end()
    })
    let bytes = 0
    for await (const chunk of await connect(server.url, { idleTimeout: 500 }).speech.create(SPEECH)) {
      if (bytes === 0) await new Promise((resolve) => setTimeout(resolve, 1500))
      bytes += chunk.byteLength
    }
    expect(bytes).toBe(64 * 65_536)
  })

  test('comments keep a stream alive', async () => {
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(CREATED))
      let beats = 0
      const timer = setInterval(() => {
        beats += 1
        if (beats < 10) response.write(': still here\n\n')
        else {
          clearInterval(timer)
          response.end(frames(delta(AUDIO), DONE))
        }
      }, 200)
    })
    expect(await collect(await connect(server.url, { idleTimeout: 1500 }).speech.stream(STREAM))).toHaveLength(4000)
  })
})

describe('a connection that fails is a ConnectionError that names the call', () => {
  test('refused', async () => {
    const url = await closedPort()
    const error = await rejection(connect(url).voices.list({ status: 'x' }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect((error as Error).message).toContain(`GET ${url}/v1/audio/voices failed: `)
    expect((error as Error).message).toContain('ECONNREFUSED')
    expect((error as Error).cause).toBeInstanceOf(Error)
  })

  test.each([
    ['closed without a response', ''],
    ['closed in the middle of the headers', 'HTTP/1.1 200 OK\r\ncontent-ty'],
    ['answered with something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  ])('%s', async (_, response) => {
    const server = await startRawServer((socket) => socket.end(response))
    const error = await rejection(connect(server.url).speech.create(SPEECH))
    expect(error).toBeInstanceOf(ConnectionError)
    expect((error as Error).message).toContain(`POST ${server.url}/v1/audio/speech failed: `)
  })

  test('reset', async () => {
    const server = await startRawServer((socket) => socket.resetAndDestroy())
    expect(await rejection(connect(server.url).models.list())).toBeInstanceOf(ConnectionError)
  })
})
