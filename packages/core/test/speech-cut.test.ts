import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { StreamTruncatedError } from '../src/index.ts'
import { collect, connect, listAll, rejection, until } from './support/clients.ts'
import { startRawServer, startServer } from './support/servers.ts'
import { CREATED, delta, DONE, frames, openEvents, pcm, PCM_HEADERS, STREAM } from './support/speech.ts'

const AUDIO = pcm(4000)
const START = frames(CREATED, delta(AUDIO))
const CUT_EVENT = frames(delta(AUDIO)).slice(0, 2000)

/** Ends that no complete stream has. */
const ENDS: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ['ends without speech.audio.done', (response) => response.end(START)],
  ['ends within an event', (response) => response.end(START + CUT_EVENT)],
  ['ends within speech.audio.done', (response) => response.end(`${START}data: {"type":"speech.audio.done"`)],
  ['ends before the data of an event', (response) => response.end(`${START}da`)],
  ['loses its connection between events', (response) => response.write(START, () => response.destroy())],
  ['loses its connection within an event', (response) => response.write(START + CUT_EVENT, () => response.destroy())],
  ['is reset', (response) => response.write(START, () => response.socket?.resetAndDestroy())],
]

describe('interface: without speech.audio.done a stream is not complete', () => {
  // rules: speech-events.done, speech-events.failure
  test.each(ENDS)('a stream that %s throws StreamTruncatedError', async (_, end) => {
    const server = await startServer((__, response) => {
      openEvents(response)
      end(response)
    })
    const stream = await connect(server.url).speech.stream(STREAM)
    const error = await rejection(collect(stream))
    expect(error).toBeInstanceOf(StreamTruncatedError)
    expect(error).toMatchObject({ events: 2, requestId: 'req-1', expectedBytes: undefined })
    expect((error as StreamTruncatedError).bytes).toBeGreaterThanOrEqual(START.length)
    expect((error as Error).message).toContain('after 2 events')
    expect(stream.complete).toBe(false)
  })

  test.each(ENDS)('events() of a stream that %s fail in the same way', async (_, end) => {
    const server = await startServer((__, response) => {
      openEvents(response)
      end(response)
    })
    const stream = await connect(server.url).speech.stream(STREAM)
    expect(await rejection(listAll(stream.events()))).toBeInstanceOf(StreamTruncatedError)
    expect(stream.complete).toBe(false)
  })

  test.each([
    ['nothing', ''],
    ['a comment', ': hello\n\n'],
    ['half of speech.created', frames(CREATED).slice(0, 30)],
    ['another event', frames({ type: 'task.created', task_id: 't' })],
  ])('a stream that ends after %s fails when it is opened', async (_, start) => {
    const server = await startServer((__, response) => {
      openEvents(response)
      response.end(start)
    })
    expect(await rejection(connect(server.url).speech.stream(STREAM))).toBeInstanceOf(StreamTruncatedError)
  })

  test('a stream that ends in half a frame is cut, even after speech.audio.done', async () => {
    const server = await startServer((_, response) => {
      openEvents(response)
      response.end(frames(CREATED, delta(AUDIO.subarray(0, 401)), DONE))
    })
    const stream = await connect(server.url).speech.stream(STREAM)
    const error = await rejection(collect(stream))
    expect(error).toBeInstanceOf(StreamTruncatedError)
    expect((error as Error).message).toContain('half a frame')
    expect(stream.complete).toBe(false)
  })

  test('a body short of its Content-Length is cut', async () => {
    const server = await startRawServer((socket) => {
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99999\r\n\r\n'
      socket.end(head + START)
    })
    const stream = await connect(server.url).speech.stream(STREAM)
    expect(await rejection(collect(stream))).toBeInstanceOf(StreamTruncatedError)
  })

  test.each([
    [
      'the error event',
      { type: 'error', error: { code: 'c', message: 'm' } },
      { name: 'StreamFailedError', code: 'c' },
    ],
    ['no event', { type: 'new.kind' }, { name: 'StreamTruncatedError', events: 3 }],
  ])('a slow reader of a lost connection still gets the bytes that arrived, and %s', async (_, last, failure) => {
    const server = await startServer((__, response) => {
      openEvents(response)
      response.write(frames(CREATED))
      // Later than the first chunk, so that it waits in a buffer of its own.
      setTimeout(() => response.write(frames(delta(AUDIO), last), () => response.destroy()), 20)
    })
    const stream = await connect(server.url).speech.stream(STREAM)
    await until(() => server.sockets[0]?.destroyed === true)
    await new Promise((resolve) => setTimeout(resolve, 50))
    let bytes = 0
    const read = async (): Promise<void> => {
      for await (const chunk of stream) bytes += chunk.length
    }
    await expect(read()).rejects.toMatchObject(failure)
    expect(bytes).toBe(AUDIO.length)
  })

  // rules: speech-events.done
  test('a lost connection after speech.audio.done changes nothing', async () => {
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(START + frames(DONE), () => response.destroy())
    })
    const stream = await connect(server.url).speech.stream(STREAM)
    expect(await collect(stream)).toEqual(Buffer.from(AUDIO))
    expect(stream.complete).toBe(true)
  })
})

describe('interface: "in raw PCM mode end-of-stream alone does not prove completeness"', () => {
  const RAW = { ...STREAM, stream_format: 'audio' } as const

  // rules: speech-events.pcm-failure, stream.pcm-end
  test.each<[string, (response: ServerResponse) => void]>([
    ['loses its connection', (response) => response.write(AUDIO, () => response.destroy())],
    ['ends in half a frame', (response) => response.end(AUDIO.subarray(0, 403))],
    [
      'loses its connection in half a frame',
      (response) => response.write(AUDIO.subarray(0, 403), () => response.destroy()),
    ],
  ])('PCM that %s throws StreamTruncatedError', async (_, end) => {
    const server = await startServer((__, response) => {
      response.writeHead(200, { ...PCM_HEADERS, 'x-request-id': 'req-1' })
      end(response)
    })
    const stream = await connect(server.url).speech.stream(RAW)
    const error = await rejection(collect(stream))
    expect(error).toBeInstanceOf(StreamTruncatedError)
    expect(error).toMatchObject({ requestId: 'req-1' })
    expect((error as StreamTruncatedError).bytes).toBeGreaterThan(0)
    expect(stream.complete).toBe(false)
  })

  test('PCM short of its Content-Length is cut', async () => {
    const server = await startRawServer((socket) => {
      const headers = Object.entries({ ...PCM_HEADERS, 'content-length': '8000' }).map((entry) => entry.join(': '))
      socket.write(`HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\n\r\n`)
      socket.end(AUDIO)
    })
    const stream = await connect(server.url).speech.stream(RAW)
    expect(await rejection(collect(stream))).toMatchObject({
      name: 'StreamTruncatedError',
      bytes: 4000,
      expectedBytes: 8000,
    })
  })
})
