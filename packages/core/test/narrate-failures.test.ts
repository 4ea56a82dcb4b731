import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { narrate, type NarrationClient, type SpokenStream } from '../src/text/index.ts'
import { ProtocolError, StreamFailedError, StreamTruncatedError, TimeoutError } from '../src/index.ts'
import { collect, connect, rejection, until } from './support/clients.ts'
import { type Asked, hold, samples, startSpeaker } from './support/narration.ts'
import { closedByClient } from './support/servers.ts'
import { CREATED, delta, DONE, frames, STREAM } from './support/speech.ts'
import { watchedClient } from './support/watched-client.ts'

const THREE = 'The first one is of this length. The second one is a bit so. The third one is the last.'
const [ONE = '', TWO = '', LAST = ''] = THREE.split(/(?<=\.) /)
const BODY = { ...STREAM, input: THREE }
const ALL = { maxCharacters: 32, concurrency: 3 }
const AUDIO = samples(...hold(100, 1000))

describe('a failed piece ends all pieces at once', () => {
  test.each([
    ['is cut', StreamTruncatedError, (asked: Asked): void => void asked.response.end()],
    [
      'reports an error',
      StreamFailedError,
      (asked: Asked): void => void asked.response.end(frames({ type: 'error', error: { code: 'c', message: 'm' } })),
    ],
    [
      'ends in half a frame',
      StreamTruncatedError,
      (asked: Asked): void => void asked.response.end(frames(delta(new Uint8Array(3)), DONE)),
    ],
  ])('a stream that %s', async (_, kind, fail) => {
    const server = await startSpeaker((asked) => asked.begin(AUDIO))
    const narration = await narrate(connect(server.url), BODY, ALL)
    await until(() => server.asked.length === 3)
    const left = [closedByClient(server.find(ONE).response), closedByClient(server.find(LAST).response)]
    const reading = rejection(collect(narration))
    fail(server.find(TWO))
    expect(await reading).toBeInstanceOf(kind)
    expect(await Promise.all(left)).toEqual(['left', 'left'])
    expect(narration.complete).toBe(false)
  })

  test('a refusal, before the first has begun', async () => {
    const server = await startSpeaker((asked) => {
      if (asked.input === TWO) asked.response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":{}}')
    })
    expect(await rejection(narrate(connect(server.url), BODY, ALL))).toMatchObject({ name: 'ApiError', status: 429 })
  })

  test('another PCM format', async () => {
    const server = await startSpeaker((asked) => {
      if (asked.input !== TWO) return asked.speak(AUDIO)
      asked.response.writeHead(200, { 'content-type': 'text/event-stream' })
      asked.response.end(frames({ ...CREATED, sample_rate: 8000 }, delta(AUDIO), DONE))
    })
    const narration = await narrate(connect(server.url), BODY, ALL)
    expect(await rejection(collect(narration))).toBeInstanceOf(ProtocolError)
  })

  test('the source of the text', async () => {
    const server = await startSpeaker((asked) => asked.begin(AUDIO))
    const reason = new Error('no more text')
    async function* input(): AsyncGenerator<string, void, undefined> {
      yield 'One sentence. Another one'
      await until(() => server.asked.length === 1)
      throw reason
    }
    const narrating = narrate(connect(server.url), { ...STREAM, input: input() }, { speakable: false })
    expect(await rejection(narrating.then((narration) => collect(narration)))).toBe(reason)
    expect(await closedByClient(server.find('One sentence.').response)).toBe('left')
  })
})

describe('the signal', () => {
  test('ends every piece with its reason', async () => {
    const server = await startSpeaker((asked) => asked.begin(AUDIO))
    const controller = new AbortController()
    const narration = await narrate(connect(server.url), BODY, { ...ALL, signal: controller.signal })
    await until(() => server.asked.length === 3)
    const left = server.asked.map(({ response }) => closedByClient(response))
    const reading = rejection(collect(narration))
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await reading).toBe(reason)
    expect(await Promise.all(left)).toEqual(['left', 'left', 'left'])
  })

  test('that is already aborted sends nothing', async () => {
    const server = await startSpeaker()
    const reason = new Error('never')
    expect(await rejection(narrate(connect(server.url), BODY, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(server.requests).toEqual([])
  })

  test('and the clock have no listener and no timer afterwards', async () => {
    const server = await startSpeaker((asked) => asked.speak(AUDIO))
    const { client, signal, listeners, timers, deadlines } = watchedClient(server.url)
    await collect(await narrate(client, BODY, { ...ALL, signal, timeout: 77 }))
    expect([listeners(), timers()]).toEqual([0, 0])
    expect(deadlines.filter((milliseconds) => milliseconds === 77)).toHaveLength(3)
    for await (const chunk of await narrate(client, BODY, { ...ALL, signal })) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    await until(() => listeners() + timers() === 0)
    const failing = await startSpeaker((asked) => void asked.response.writeHead(500).end())
    const other = watchedClient(failing.url)
    await rejection(narrate(other.client, BODY, { ...ALL, signal: other.signal }))
    await until(() => other.listeners() + other.timers() === 0)
    expect(getEventListeners(other.signal, 'abort')).toEqual([])
  })
})

test('the deadline of one piece ends all of them', async () => {
  const server = await startSpeaker((asked) => asked.begin(AUDIO))
  const { client, expire } = watchedClient(server.url)
  const narration = await narrate(client, BODY, ALL)
  await until(() => server.asked.length === 3)
  expire()
  expect(await rejection(collect(narration))).toBeInstanceOf(TimeoutError)
})

describe('an early end ends every request', () => {
  test.each([
    ['an iteration', async (chunks: AsyncGenerator<Uint8Array, void, undefined>) => void (await chunks.return())],
    [
      'an iteration that waits',
      async (chunks: AsyncGenerator<Uint8Array, void, undefined>) => {
        const pending = chunks.next()
        await chunks.return()
        expect(await pending).toEqual({ done: true, value: undefined })
      },
    ],
  ])('%s', async (_, leave) => {
    const server = await startSpeaker((asked) => asked.begin(AUDIO))
    const chunks = (await narrate(connect(server.url), BODY, ALL))[Symbol.asyncIterator]()
    await chunks.next()
    await until(() => server.asked.length === 3)
    const left = server.asked.map(({ response }) => closedByClient(response))
    await leave(chunks)
    expect(await Promise.all(left)).toEqual(['left', 'left', 'left'])
  })

  test('cancel()', async () => {
    const server = await startSpeaker((asked) => asked.begin(AUDIO))
    const narration = await narrate(connect(server.url), BODY, ALL)
    await until(() => server.asked.length === 3)
    narration.cancel()
    expect(await Promise.all(server.asked.map(({ response }) => closedByClient(response)))).toHaveLength(3)
    expect(() => narration[Symbol.asyncIterator]()).toThrow(TypeError)
  })

  test('a web stream, and the source of the text is closed', async () => {
    const server = await startSpeaker((asked) => asked.begin(AUDIO))
    let ended = false
    async function* input(): AsyncGenerator<string, void, undefined> {
      try {
        for (;;) yield 'One more sentence. '
      } finally {
        ended = true
      }
    }
    const narration = await narrate(connect(server.url), { ...STREAM, input: input() }, { speakable: false })
    const left = closedByClient(server.find('One more sentence.').response)
    await narration.stream().cancel()
    expect(await left).toBe('left')
    await until(() => ended)
  })
})

describe('memory', () => {
  /** Speech in memory that counts what was read of it. */
  function endless(chunkBytes: number): { client: NarrationClient; read: number[] } {
    const read: number[] = []
    async function open(): Promise<SpokenStream> {
      const index = read.push(0) - 1
      async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
        for (;;) {
          read[index] = (read[index] ?? 0) + chunkBytes
          yield new Uint8Array(chunkBytes).fill(64)
        }
      }
      const format = { sampleRate: 24_000, channels: 1, bitDepth: 16 }
      return { [Symbol.asyncIterator]: chunks, format, complete: false, cancel: () => {} }
    }
    return { client: { speech: { stream: open } }, read }
  }

  test('a piece is read at most 8 MiB ahead, and at most concurrency pieces are open', async () => {
    const { client, read } = endless(1024 * 1024)
    const narration = await narrate(client, BODY, { maxCharacters: 32, concurrency: 2 })
    await new Promise((resolve) => setImmediate(resolve))
    expect(read).toEqual([8 * 1024 * 1024, 8 * 1024 * 1024])
    const chunks = narration[Symbol.asyncIterator]()
    await chunks.next()
    await new Promise((resolve) => setImmediate(resolve))
    expect(read).toEqual([9 * 1024 * 1024, 8 * 1024 * 1024])
    await chunks.return()
  })
})
