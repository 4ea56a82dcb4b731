import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fetchTransport } from '../src/fetch/index.ts'
import { webClock } from '../src/adapter.ts'
import { TimeoutError, type TransportRequest } from '../src/index.ts'
import { collect, rejection, until } from './support/clients.ts'
import { closedByClient, startServer, type TestServer } from './support/servers.ts'
import { CREATED, delta, DONE, frames, openEvents, pcm, SPEECH, STREAM } from './support/speech.ts'
import { startStalledListener } from './support/stalled-listener.ts'
import { NOTHING, watchedFetch } from './support/watched-fetch.ts'

const AUDIO = pcm(4000)
const REASON = { why: 'enough', not: 'an Error' }
const TRANSCRIBE = { model: 'svc-transcribe-1.0' } as const

type Saying = 'nothing' | 'headers' | 'audio'

/** A server that says something and then falls silent; `left` resolves when the client has gone. */
async function startSilent(say: Saying): Promise<TestServer & { left: () => Promise<unknown> }> {
  const leaving: Promise<'left'>[] = []
  const server = await startServer((request, response) => {
    leaving.push(closedByClient(response))
    if (say === 'nothing') return
    if (request.headers.accept === 'text/event-stream') {
      openEvents(response)
      response.write(say === 'audio' ? frames(CREATED, delta(AUDIO)) : ': open\n\n')
    } else {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      if (say === 'audio') response.write(AUDIO)
      else response.flushHeaders()
    }
  })
  return { ...server, left: () => Promise.all(leaving).then((all) => all[0]) }
}

/** An upload that gives one piece and then waits for ever, and says when it was left. */
function stallingUpload(): { data: () => ReadableStream<Uint8Array>; left: () => boolean } {
  let left = false
  const data = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start: (controller) => controller.enqueue(AUDIO),
      cancel: () => {
        left = true
      },
    })
  return { data, left: () => left }
}

describe('an abort rejects with its reason and removes the timer', () => {
  test('before the request', async () => {
    const server = await startSilent('nothing')
    const { client, signal, abort, held } = watchedFetch(server.url)
    abort(REASON)
    expect(await rejection(client.models.list({ signal }))).toBe(REASON)
    expect(server.sockets).toHaveLength(0)
    expect(held()).toEqual(NOTHING)
  })

  test.each([REASON, null, undefined, '', 0])('while it waits for headers, with the reason %j', async (reason) => {
    const server = await startSilent('nothing')
    const { client, signal, abort, held } = watchedFetch(server.url)
    const failed = rejection(client.speech.create(SPEECH, { signal }))
    await until(() => server.requests.length === 1)
    abort(reason)
    expect(await failed).toBe(signal.reason)
    expect(await server.left()).toBe('left')
    expect(held()).toEqual(NOTHING)
  })

  test('while it connects', async () => {
    const { client, signal, abort, held } = watchedFetch(await startStalledListener())
    const failed = rejection(client.models.list({ signal }))
    await new Promise((resolve) => setTimeout(resolve, 20))
    abort(REASON)
    expect(await failed).toBe(REASON)
    expect(held()).toEqual(NOTHING)
  })

  test.each([true, false])('in mid-upload, the source too, with streamUploads: %s', async (streamUploads) => {
    const server = await startSilent('nothing')
    const upload = stallingUpload()
    const { client, signal, abort, held } = watchedFetch(server.url, { streamUploads })
    const failed = rejection(client.transcriptions.create({ ...TRANSCRIBE, file: { data: upload.data } }, { signal }))
    await (streamUploads
      ? until(() => server.requests.length === 1)
      : new Promise((resolve) => setTimeout(resolve, 20)))
    abort(REASON)
    expect(await failed).toBe(REASON)
    await until(upload.left)
    expect(server.requests).toHaveLength(streamUploads ? 1 : 0)
    await server.left()
    expect(held()).toEqual(NOTHING)
  })

  test('in mid-stream, during a read', async () => {
    const server = await startSilent('audio')
    const { client, signal, abort, held } = watchedFetch(server.url)
    const audio = rejection((await client.speech.create(SPEECH, { signal })).bytes())
    const stream = rejection(collect(await client.speech.stream(STREAM, { signal })))
    abort(REASON)
    expect(await audio).toBe(REASON)
    expect(await stream).toBe(REASON)
    expect(await server.left()).toBe('left')
    expect(held()).toEqual(NOTHING)
  })

  test('in mid-stream, without a pending read: the connection closes at once', async () => {
    const server = await startSilent('audio')
    const { client, signal, abort, held } = watchedFetch(server.url)
    const audio = await client.speech.create(SPEECH, { signal })
    abort(REASON)
    expect(await server.left()).toBe('left')
    expect(held()).toEqual(NOTHING)
    expect(await rejection(audio.bytes())).toBe(REASON)
    expect(held()).toEqual(NOTHING)
  })

  test('while an error body is read', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(500, { 'content-type': 'application/json' }).write('{"error":')
    })
    const { client, signal, abort, held } = watchedFetch(server.url)
    const failed = rejection(client.models.list({ signal }))
    await until(() => server.requests.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    abort(REASON)
    expect(await failed).toBe(REASON)
    expect(held()).toEqual(NOTHING)
  })
})

describe('a passed deadline throws TimeoutError and removes the timer', () => {
  const phaseOf = async (call: Promise<unknown>): Promise<unknown> => {
    const error = await rejection(call)
    return error instanceof TimeoutError ? error.phase : error
  }

  test('for headers that do not arrive', async () => {
    const server = await startSilent('nothing')
    const { client, signal, held } = watchedFetch(server.url, { headersTimeout: 60 })
    expect(await phaseOf(client.models.list({ signal }))).toBe('headers')
    expect(await server.left()).toBe('left')
    expect(held()).toEqual(NOTHING)
  })

  test('for an upload that the service does not read, and its source is closed', async () => {
    const server = await startServer(() => {})
    let left = false
    const data = async function* endless(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for (;;) yield pcm(100_000)
      } finally {
        left = true
      }
    }
    const { client, signal, held } = watchedFetch(server.url, { headersTimeout: 300 })
    expect(await phaseOf(client.transcriptions.create({ ...TRANSCRIBE, file: { data } }, { signal }))).toBe('headers')
    await until(() => left)
    expect(held()).toEqual(NOTHING)
  })

  test('for a body that falls silent, of audio, of events and of nothing yet', async () => {
    for (const say of ['audio', 'headers'] as const) {
      const server = await startSilent(say)
      const { client, signal, held } = watchedFetch(server.url, { idleTimeout: 60 })
      const audio = client.speech.create(SPEECH, { signal }).then((body) => body.bytes())
      expect(await phaseOf(audio)).toBe('idle')
      expect(await phaseOf(client.speech.stream(STREAM, { signal }).then((stream) => collect(stream)))).toBe('idle')
      expect(await server.left()).toBe('left')
      expect(held()).toEqual(NOTHING)
    }
  })

  test('for a silent error body, and the error still has its status', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(503, { 'content-type': 'text/plain' }).write('try la')
    })
    const { client, held } = watchedFetch(server.url, { idleTimeout: 60 })
    expect(await rejection(client.models.list())).toMatchObject({ name: 'ApiError', status: 503 })
    expect(held()).toEqual(NOTHING)
  })

  test('but not for an upload from a slow source', async () => {
    const server = await startServer((request, response) => {
      request.resume().on('end', () => response.end('{"text":"a"}'))
    })
    const data = async function* slow(): AsyncGenerator<Uint8Array, void, undefined> {
      for (let count = 0; count < 3; count += 1) {
        await new Promise((resolve) => setTimeout(resolve, 700))
        yield AUDIO
      }
    }
    const { client } = watchedFetch(server.url, { headersTimeout: 600 })
    expect(await client.transcriptions.create({ ...TRANSCRIBE, file: { data } })).toEqual({ text: 'a' })
  })

  test('nor for a slow reader', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      for (let count = 0; count < 64; count += 1) response.write(pcm(65_536, count + 1))
      response.end()
    })
    const { client, held } = watchedFetch(server.url, { idleTimeout: 500 })
    let bytes = 0
    for await (const chunk of await client.speech.create(SPEECH)) {
      if (bytes === 0) await new Promise((resolve) => setTimeout(resolve, 1500))
      bytes += chunk.byteLength
    }
    expect(bytes).toBe(64 * 65_536)
    expect(held()).toEqual(NOTHING)
  })
})

describe('a cut body throws StreamTruncatedError', () => {
  test.each<[string, Record<string, string>]>([
    ['in chunks', {}],
    ['short of its length', { 'content-length': '9999' }],
  ])('%s', async (_, headers) => {
    const server = await startServer((__, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'x-request-id': 'req-1', ...headers })
      response.write(AUDIO, () => setTimeout(() => response.destroy(), 50))
    })
    const { client, signal, held } = watchedFetch(server.url)
    const error = await rejection(client.speech.create(SPEECH, { signal }).then((audio) => audio.bytes()))
    expect(error).toMatchObject({ name: 'StreamTruncatedError', requestId: 'req-1' })
    expect(held()).toEqual(NOTHING)
  })

  test('of events', async () => {
    const server = await startServer((_, response) => {
      openEvents(response)
      response.end(frames(CREATED, delta(AUDIO)))
    })
    const { client, signal, held } = watchedFetch(server.url)
    const error = await rejection(client.speech.stream(STREAM, { signal }).then((stream) => collect(stream)))
    expect(error).toMatchObject({ name: 'StreamTruncatedError', events: 2 })
    expect(held()).toEqual(NOTHING)
  })
})

describe('a cancelled body', () => {
  test('closes its connection, and a pending read fails', async () => {
    const server = await startSilent('audio')
    const { client, signal, held } = watchedFetch(server.url)
    const iterator = (await client.speech.create(SPEECH, { signal }))[Symbol.asyncIterator]()
    await iterator.next()
    const waiting = rejection(iterator.next())
    await iterator.return()
    expect(await waiting).toMatchObject({ name: 'StreamTruncatedError' })
    const unread = await client.speech.create(SPEECH, { signal })
    unread.cancel()
    unread.cancel()
    for await (const chunk of await client.speech.stream(STREAM, { signal })) if (chunk.length > 0) break
    expect(await server.left()).toBe('left')
    expect(held()).toEqual(NOTHING)
  })

  test('after its terminal event keeps its connection if its end is near', async () => {
    let finished = 0
    const server = await startServer((_, response) => {
      response.on('finish', () => (finished += 1))
      openEvents(response)
      response.write(frames(CREATED, delta(AUDIO), DONE))
      setTimeout(() => response.end(': bye\n\n'), 10)
    })
    const { client, signal, held } = watchedFetch(server.url)
    for (let count = 1; count <= 3; count += 1) {
      const stream = await client.speech.stream(STREAM, { signal })
      expect(await collect(stream)).toHaveLength(4000)
      stream.cancel()
      await until(() => finished === count && held().timers === 0)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    expect(server.sockets).toHaveLength(1)
    expect(held()).toEqual(NOTHING)
  })

  test('after its terminal event is cancelled if it continues, or sends much more', async () => {
    for (const more of ['', `:${'x'.repeat(200_000)}\n`]) {
      let left: Promise<'left'> | undefined
      const server = await startServer((_, response) => {
        left = closedByClient(response)
        openEvents(response)
        response.write(frames(CREATED, delta(AUDIO), DONE))
        response.write(more)
      })
      const { client, held } = watchedFetch(server.url)
      expect(await collect(await client.speech.stream(STREAM))).toHaveLength(4000)
      expect(await left).toBe('left')
      expect(held()).toEqual(NOTHING)
    }
  })

  test('by close() fails, as do all calls in flight, and later calls connect again', async () => {
    const server = await startSilent('audio')
    const { client, signal, held } = watchedFetch(server.url)
    const reading = rejection((await client.speech.create(SPEECH, { signal })).bytes())
    const waiting = rejection(client.models.list({ signal }).then((list) => list.data))
    await until(() => server.requests.length === 2)
    await client.close()
    expect(await reading).toMatchObject({ name: 'StreamTruncatedError' })
    expect(await waiting).toMatchObject({ name: expect.stringMatching(/Error$/) })
    // A read is retried after a failed connection, but not after close().
    expect(server.requests).toHaveLength(2)
    expect(await server.left()).toBe('left')
    expect(held()).toEqual(NOTHING)
    const again = await client.speech.create(SPEECH, { signal })
    expect(again.contentType).toBe('audio/mpeg')
    again.cancel()
  })

  test('may be read again after its end, or is absent, and removes the timer', async () => {
    const server = await startServer((request, response) => {
      response.writeHead(request.url === '/none' ? 204 : 200).end(request.url === '/none' ? undefined : 'a')
    })
    const { held, signal } = watchedFetch(server.url)
    const transport = fetchTransport()
    const get = (path: string): TransportRequest => ({ method: 'GET', url: server.url + path, headers: {}, signal })
    const { body } = await transport.send(get('/'))
    expect(await collect(body)).toHaveLength(1)
    expect(await collect(body)).toHaveLength(0)
    body.release()
    await until(() => held().timers === 0)
    expect(await collect((await transport.send(get('/none'))).body)).toHaveLength(0)
    expect(held()).toEqual(NOTHING)
  })
})

describe('webClock', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('never goes back', () => {
    const before = webClock.now()
    vi.setSystemTime(0)
    vi.advanceTimersByTime(5)
    expect(webClock.now() - before).toBe(5)
  })

  test.each([0, 1, 1000, 2 ** 31 - 1, 2 ** 31, 2 ** 33 + 7])('runs once after %d ms, not before', (milliseconds) => {
    const run = vi.fn<() => void>()
    webClock.setTimer(milliseconds, run)
    vi.advanceTimersByTime(Math.max(0, milliseconds - 1))
    expect(run).toHaveBeenCalledTimes(milliseconds === 0 ? 1 : 0)
    vi.advanceTimersByTime(1)
    vi.advanceTimersByTime(10_000)
    expect(run).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('can be cancelled, also after its first part', () => {
    const run = vi.fn<() => void>()
    const clear = webClock.setTimer(2 ** 32, run)
    vi.advanceTimersByTime(2 ** 31 + 5)
    clear()
    vi.advanceTimersByTime(2 ** 33)
    expect(run).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('waits forever for Infinity', () => {
    const run = vi.fn<() => void>()
    const clear = webClock.setTimer(Infinity, run)
    vi.advanceTimersByTime(2 ** 33)
    expect(run).not.toHaveBeenCalled()
    clear()
    expect(vi.getTimerCount()).toBe(0)
  })
})
