import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AudioBody, SpeechStream } from '../src/index.ts'
import { collect, connect, listAll, rejection, until } from './support/clients.ts'
import { closedByClient, startServer, type TestServer } from './support/servers.ts'
import { CREATED, delta, DONE, frames, openEvents, pcm, PCM_HEADERS, SPEECH, STREAM, TASK } from './support/speech.ts'

const AUDIO = pcm(4000)

/** A server whose audio never ends by itself. */
async function startEndless(): Promise<TestServer & { left: () => Promise<'left' | undefined> }> {
  const leaving: Promise<'left'>[] = []
  const server = await startServer((request, response) => {
    leaving.push(closedByClient(response))
    const { accept } = request.headers
    if (accept === 'text/event-stream') {
      openEvents(response)
      response.write(frames(CREATED, delta(AUDIO)))
    } else {
      response.writeHead(200, accept === 'audio/pcm' ? PCM_HEADERS : { 'content-type': 'audio/mpeg' })
      response.write(AUDIO)
    }
  })
  return { ...server, left: async () => (await Promise.all(leaving))[0] }
}

const opens: readonly (readonly [string, (url: string) => Promise<AudioBody | SpeechStream>])[] = [
  ['audio', (url) => connect(url).speech.create(SPEECH)],
  ['a stream', (url) => connect(url).speech.stream(STREAM)],
  ['raw PCM', (url) => connect(url).speech.stream({ ...STREAM, stream_format: 'audio' })],
]

const leaves: readonly (readonly [string, (opened: AudioBody | SpeechStream) => Promise<void>])[] = [
  [
    'by break',
    async (opened) => {
      for await (const chunk of opened) if (chunk.length > 0) break
    },
  ],
  [
    'by an error of the reader',
    async (opened) => {
      const read = async (): Promise<never> => {
        for await (const chunk of opened) throw new Error(`no more than ${chunk.length}`)
        throw new Error('nothing came')
      }
      await expect(read()).rejects.toThrow('no more than 4000')
    },
  ],
  ['by cancel()', async (opened) => opened.cancel()],
  [
    'by return() before the first read',
    async (opened) => void (await opened[Symbol.asyncIterator]().return(undefined)),
  ],
  [
    'by return() while a read is waiting',
    async (opened) => {
      const iterator = opened[Symbol.asyncIterator]()
      await iterator.next()
      const waiting = rejection(iterator.next())
      await iterator.return(undefined)
      expect(await waiting).toMatchObject({ name: 'StreamTruncatedError' })
    },
  ],
  ['by cancelling its web stream before the first read', (opened) => opened.stream().cancel()],
  [
    'by cancelling its web stream while a read is waiting',
    async (opened) => {
      const reader = opened.stream().getReader()
      await reader.read()
      const waiting = reader.read()
      await reader.cancel()
      await expect(waiting).resolves.toMatchObject({ done: true })
    },
  ],
  ['by destroying a Node stream over it', async (opened) => void Readable.from(opened).destroy()],
  [
    'by a pipeline whose other end fails',
    async (opened) => {
      const target = async (): Promise<never> => {
        throw new Error('target failed')
      }
      await expect(pipeline(Readable.from(opened), target)).rejects.toThrow('target failed')
    },
  ],
]

describe.each(opens)('an early end of %s closes its connection', (_, open) => {
  // rules: speech-events.disconnect
  test.each(leaves)('%s', async (__, leave) => {
    const server = await startEndless()
    await leave(await open(server.url))
    expect(await server.left()).toBe('left')
  })

  test('by cancel() during a pending read, which rejects with the reason', async () => {
    const server = await startEndless()
    const opened = await open(server.url)
    const iterator = opened[Symbol.asyncIterator]()
    await iterator.next()
    const waiting = rejection(iterator.next())
    opened.cancel()
    expect(await waiting).toMatchObject({ name: 'StreamTruncatedError' })
    expect(await server.left()).toBe('left')
    opened.cancel()
    expect(() => opened.stream()).toThrow(TypeError)
  })
})

test('an early end of a stream’s events closes its connection', async () => {
  const server = await startEndless()
  const client = connect(server.url)
  const unread = (await client.speech.stream(STREAM)).events()
  await unread.return()
  const waiting = (await client.speech.stream(STREAM)).events()
  await waiting.next()
  await waiting.next()
  const pending = rejection(waiting.next())
  await waiting.return()
  expect(await pending).toMatchObject({ name: 'StreamTruncatedError' })
  expect(await server.left()).toBe('left')
})

// rules: speech-events.cancel-open
test('the task of a closed stream can still be read: it may continue', async () => {
  const task = { id: 'task-1', object: 'audio.speech', status: 'PROCESSING', created_at: 1, updated_at: 2 }
  const server = await startServer((request, response) => {
    if (request.method === 'GET') response.end(JSON.stringify(task))
    else {
      openEvents(response)
      response.write(frames(TASK, CREATED, delta(AUDIO)))
    }
  })
  const client = connect(server.url)
  const stream = await client.speech.stream(STREAM)
  for await (const chunk of stream) if (chunk.length > 0) break
  expect(await client.tasks.retrieve(stream.taskId ?? '')).toEqual(task)
  expect(server.requests.at(-1)?.url).toBe('/v1/audio/tasks/task-1')
})

/** Lets the client take note of what the server has sent. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30))

describe('a connection is reused', () => {
  const rest: readonly (readonly [string, string])[] = [
    ['at once', ''],
    ['after a comment', ': bye\n\n'],
    ['after more than one packet', `:${'x'.repeat(40_000)}\n\n`],
  ]

  test.each(rest)('after a stream whose body ends %s', async (_, more) => {
    let finished = 0
    const server = await startServer((__, response) => {
      response.on('finish', () => (finished += 1))
      openEvents(response)
      response.write(frames(CREATED, delta(AUDIO), DONE))
      setTimeout(() => response.end(more), more === '' ? 0 : 10)
    })
    const client = connect(server.url)
    for (let count = 1; count <= 5; count += 1) {
      expect(await collect(await client.speech.stream(STREAM))).toHaveLength(4000)
      await until(() => finished === count)
      await settle()
    }
    expect(server.requests).toHaveLength(5)
    expect(server.sockets).toHaveLength(1)
  })

  test('after the events of a stream, an audio, JSON and an error', async () => {
    const server = await startServer((request, response) => {
      const { accept } = request.headers
      if (accept === 'text/event-stream') {
        openEvents(response)
        response.end(frames(CREATED, DONE))
      } else if (accept === '*/*') response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(AUDIO)
      else response.writeHead(request.url === '/v1/models' ? 200 : 404).end('{}')
    })
    const client = connect(server.url)
    for (let count = 0; count < 2; count += 1) {
      await listAll((await client.speech.stream(STREAM)).events())
      await settle()
      await (await client.speech.create(SPEECH)).bytes()
      await settle()
      await client.models.list()
      await settle()
      await rejection(client.voices.list())
      await settle()
    }
    expect(server.requests).toHaveLength(8)
    expect(server.sockets).toHaveLength(1)
  })

  test('but not for long: a body that continues after its terminal event is cancelled', async () => {
    let left: Promise<'left'> | undefined
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(CREATED, delta(AUDIO), DONE))
      left = closedByClient(response)
    })
    expect(await collect(await connect(server.url).speech.stream(STREAM))).toHaveLength(4000)
    expect(await left).toBe('left')
  })

  test('nor without limit: a body that sends much more is cancelled', async () => {
    let left: Promise<'left'> | undefined
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(CREATED, DONE))
      left = closedByClient(response)
      const flood = (): void => {
        while (!response.destroyed && response.write(`:${'x'.repeat(16_000)}\n`));
      }
      response.on('drain', flood)
      flood()
    })
    await collect(await connect(server.url).speech.stream(STREAM))
    expect(await left).toBe('left')
  })

  test('and cancel() after the end does not close it', async () => {
    let finished = 0
    const server = await startServer((_, response) => {
      response.on('finish', () => (finished += 1))
      openEvents(response)
      response.write(frames(CREATED, delta(AUDIO), DONE))
      setTimeout(() => response.end(), 10)
    })
    const client = connect(server.url)
    for (let count = 1; count <= 3; count += 1) {
      const stream = await client.speech.stream(STREAM)
      await collect(stream)
      stream.cancel()
      await until(() => finished === count)
      await settle()
    }
    expect(server.sockets).toHaveLength(1)
  })
})

describe('close()', () => {
  test('fails the calls in flight and closes every connection', async () => {
    const server = await startEndless()
    const client = connect(server.url)
    const reading = rejection(collect(await client.speech.stream(STREAM)))
    const audio = await client.speech.create(SPEECH)
    const waiting = rejection(client.models.list().then(() => collect(audio)))
    await until(() => server.requests.length === 3)
    await client.close()
    expect(await reading).toMatchObject({ name: 'StreamTruncatedError' })
    expect(await waiting).toMatchObject({ name: expect.stringMatching(/^(?:ConnectionError|StreamTruncatedError)$/) })
    expect(await server.left()).toBe('left')
  })

  test('ends a call that waits for a retry at once, with its last error', async () => {
    const server = await startServer((_, response) => void response.writeHead(503, { 'retry-after': '30' }).end())
    const client = connect(server.url, { maxRetries: 5 })
    const waiting = rejection(client.models.list())
    await until(() => server.requests.length === 1)
    const { signal } = new AbortController()
    const listening = rejection(client.models.list({ signal }))
    await until(() => server.requests.length === 2)
    // The responses have arrived when a later call has its own.
    await rejection(client.models.list({ maxRetries: 0 }))
    await client.close()
    expect(await waiting).toMatchObject({ name: 'ApiError', status: 503, retryAfter: 30 })
    expect(await listening).toMatchObject({ name: 'ApiError', status: 503 })
    expect(server.requests).toHaveLength(3)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('works twice and before any call, and a later call connects again', async () => {
    const server = await startServer((_, response) => void response.end('{"object":"list","data":[]}'))
    const client = connect(server.url)
    await client.close()
    await client.close()
    await expect(client.models.list()).resolves.toEqual({ object: 'list', data: [] })
    await client.close()
    await expect(client.models.list()).resolves.toEqual({ object: 'list', data: [] })
    expect(server.sockets).toHaveLength(2)
  })
})
