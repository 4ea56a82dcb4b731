import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { checkConnection } from '../shell/connection.ts'
import { ExchangeLog, recordingFetch } from './exchange.ts'

// Files share a worker: the modules of other files have no mock, and those of this file keep theirs to themselves.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())

vi.mock('../shell/connection.ts', () => ({ checkConnection: vi.fn<() => void>() }))

let log: ExchangeLog

beforeEach(() => {
  vi.stubGlobal('location', { href: 'http://127.0.0.1:5173/speak' })
  vi.mocked(checkConnection).mockClear()
  log = new ExchangeLog()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

function respondWith(response: Response | Error): void {
  vi.stubGlobal('fetch', async () => {
    if (response instanceof Error) throw response
    return response
  })
}

const SSE = { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }

/** A response that arrives in pieces of the given size. */
function inPieces(text: string, size: number, init?: ResponseInit): Response {
  const bytes = new TextEncoder().encode(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.slice(at * size, (at + 1) * size),
  )
  return new Response(
    new ReadableStream({
      pull: (controller) => {
        const piece = pieces.shift()
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
    }),
    init,
  )
}

async function read(response: Response, path = '/api/v1/audio/speech'): Promise<string> {
  respondWith(response)
  return (await recordingFetch(log)(path, { method: 'POST' })).text()
}

describe('the events of a stream', () => {
  test.each([1, 7, 4096])('are the same in pieces of %d bytes', async (size) => {
    const text = 'data: {"type":"a","text":"é🎧"}\n\ndata: {"type": "b"}\r\n\r\ndata: plain\n\n'
    expect(await read(inPieces(text, size, SSE))).toBe(text)
    const { events, eventCount } = log.find(1) ?? {}
    expect(events?.map(({ type }) => type)).toEqual(['a', 'b', 'event'])
    expect([events?.[0]?.data, eventCount]).toEqual(['{"type":"a","text":"é🎧"}', 3])
  })

  test('the events of a stream are counted beyond the first 200, and the last one, which says how it ended, is shown', async () => {
    const delta = `data: {"type":"speech.audio.delta","audio":"${'A'.repeat(4000)}"}\n\n`
    await read(new Response(`${delta.repeat(300)}data: {"type":"speech.audio.done"}\n\n`, SSE))
    const { events = [], eventCount } = log.find(1) ?? {}
    expect([events.length, eventCount]).toEqual([201, 301])
    expect(events.at(-1)?.type).toBe('speech.audio.done')
  })

  test('show the size that they had, not the shortened one', async () => {
    await read(new Response(`data: {"audio":"${'A'.repeat(100)}"}\n\n`, SSE))
    const [event] = log.find(1)?.events ?? []
    expect(event?.bytes).toBe(`{"audio":"${'A'.repeat(100)}"}`.length)
    expect(event?.data.length).toBeLessThan(60)
  })
})

describe('the text of a response', () => {
  test('the text of a response is shown up to 20,000 characters, and passes whole', async () => {
    const text = JSON.stringify({ text: 'é'.repeat(30_000) })
    expect(await read(inPieces(text, 999, { headers: { 'content-type': 'application/json' } }))).toBe(text)
    const { responseBody = '', bytes } = log.find(1) ?? {}
    expect(responseBody).toBe(text.slice(0, 20_000))
    expect(bytes).toBe(new TextEncoder().encode(text).length)
  })

  test('the text of a response is not read from audio', async () => {
    await read(new Response('RIFF', { headers: { 'content-type': 'audio/wav' } }))
    expect(log.find(1)).toMatchObject({ responseBody: '', bytes: 4, events: [] })
  })
})

describe('the connection is checked', () => {
  test.each([502, 503, 504])('after a response %d, as the service may be away', async (status) => {
    await read(new Response('{}', { status }))
    expect(checkConnection).toHaveBeenCalledOnce()
  })

  test.each([200, 404, 429, 500, 501])('not after a response %d', async (status) => {
    await read(new Response('{}', { status }))
    expect(checkConnection).not.toHaveBeenCalled()
  })

  test('the connection is checked after no response, and not after an abort of the page', async () => {
    respondWith(new Error('refused'))
    await expect(recordingFetch(log)('/api/v1/models')).rejects.toThrow('refused')
    expect(checkConnection).toHaveBeenCalledOnce()
    const controller = new AbortController()
    controller.abort()
    await expect(recordingFetch(log)('/api/v1/models', { signal: controller.signal })).rejects.toThrow('refused')
    expect(checkConnection).toHaveBeenCalledOnce()
    expect(log.find(2)).toMatchObject({ state: 'aborted', error: undefined })
  })
})

test('a response without a body is done at once', async () => {
  respondWith(new Response(null, { status: 204 }))
  const response = await recordingFetch(log)('/api/v1/files/file_1', { method: 'DELETE' })
  expect([response.status, response.body]).toEqual([204, null])
  expect(log.find(1)).toMatchObject({ method: 'DELETE', path: '/v1/files/file_1', state: 'done', status: 204 })
})

test("a request to the playground's own server keeps its path", async () => {
  await read(new Response('{}'), '/api/integrations/express?a=1')
  expect(log.find(1)?.path).toBe('/api/integrations/express?a=1')
})

test('the response is read no faster than the page reads it', async () => {
  let pulled = 0
  const source = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(10))
      },
    },
    { highWaterMark: 0 },
  )
  respondWith(new Response(source))
  const response = await recordingFetch(log)('/api/v1/audio/speech')
  expect(pulled).toBe(0)
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.read()
  expect([pulled, log.find(1)?.bytes]).toEqual([2, 20])
  await reader?.cancel()
})
