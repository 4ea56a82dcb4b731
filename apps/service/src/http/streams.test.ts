import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ManualClock, settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { EventQueue } from '../use-cases/transcription/stream.ts'
import { eventFrame, liveFrames, sendAudio, speechFrames } from './streams.ts'
import { type AddressInfo, connect } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { UnspeakableTextError } from '@svc-audio/engine-ports'

test('a frame is one line of data for any text', () => {
  expect(eventFrame({ type: 'a', text: 'one\ntwo\r\n\u2028' })).toBe(
    'data: {"type":"a","text":"one\\ntwo\\r\\n\u2028"}\n\n',
  )
})

test('a comment follows fifteen silent seconds, and no event is lost', async () => {
  const clock = new ManualClock()
  const queue = new EventQueue<{ type: string }>()
  const frames: string[] = []
  const reading = (async () => {
    for await (const frame of liveFrames(queue, clock)) frames.push(frame)
  })()
  await settle()
  await clock.pass(14_000)
  queue.push({ type: 'a' })
  await settle()
  await clock.pass(14_000)
  expect(frames).toEqual([eventFrame({ type: 'a' })])
  await clock.pass(32_000)
  expect(frames.slice(1)).toEqual([': keep-alive\n\n', ': keep-alive\n\n', ': keep-alive\n\n'])
  queue.push({ type: 'b' })
  queue.end()
  await reading
  expect(frames.slice(4)).toEqual([eventFrame({ type: 'b' })])
  expect(clock.timers).toBe(0)
})

test('a disconnect cancels the events and leaves no timer', async () => {
  const clock = new ManualClock()
  let left = false
  async function* events() {
    try {
      for (;;) yield { type: 'a' }
    } finally {
      left = true
    }
  }
  for await (const frame of liveFrames(events(), clock)) {
    expect(frame).toBe(eventFrame({ type: 'a' }))
    break
  }
  expect(left).toBe(true)
  expect(clock.timers).toBe(0)
})

describe('a disconnect before the first frame', () => {
  function watchedEvents() {
    const next = vi.fn<() => Promise<IteratorResult<object>>>()
    const back = vi.fn<() => Promise<IteratorResult<object>>>(async () => ({ done: true, value: undefined }))
    return { next, back, events: { [Symbol.asyncIterator]: () => ({ next, return: back }) } }
  }

  test('cancels the events without reading any', async () => {
    const clock = new ManualClock()
    const { next, back, events } = watchedEvents()
    const frames = liveFrames(events, clock)[Symbol.asyncIterator]()
    expect(await frames.return?.()).toEqual({ done: true, value: undefined })
    expect(back).toHaveBeenCalledOnce()
    expect(next).not.toHaveBeenCalled()
    expect(clock.timers).toBe(0)
  })

  test.each([undefined, new Error('the connection was cut')])('when the stream is destroyed with %s', async (error) => {
    const { back, events } = watchedEvents()
    const stream = Readable.from(liveFrames(events, new ManualClock()), { objectMode: false })
    stream.on('error', () => undefined)
    stream.destroy(error)
    await settle()
    expect(back).toHaveBeenCalledOnce()
  })
})

test('failed events fail the frames and leave no timer', async () => {
  const clock = new ManualClock()
  async function* events(): AsyncGenerator<object> {
    yield { type: 'a' }
    throw new Error('broken')
  }
  const frames = liveFrames(events(), clock)[Symbol.asyncIterator]()
  expect(await frames.next()).toEqual({ done: false, value: eventFrame({ type: 'a' }) })
  await expect(frames.next()).rejects.toThrow('broken')
  expect(clock.timers).toBe(0)
})

describe('sent audio', () => {
  /** Audio that a test feeds by hand. Records its reads and its cancellation. */
  class Audio implements AsyncIterable<Uint8Array> {
    readonly first = Promise.withResolvers<IteratorResult<Uint8Array>>()
    readonly #rest: Uint8Array[]
    reads = 0
    returns = 0

    constructor(...rest: readonly string[]) {
      this.#rest = rest.map((text) => Buffer.from(text))
    }

    [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
      return {
        next: async () => {
          this.reads += 1
          if (this.reads === 1) return this.first.promise
          const value = this.#rest.shift()
          return value === undefined ? { done: true, value } : { done: false, value }
        },
        return: async () => {
          this.returns += 1
          return { done: true, value: undefined }
        },
      }
    }
  }

  let app: FastifyInstance
  let audio: Audio
  /** Resolves when the service has noticed the disconnect. */
  let gone: PromiseWithResolvers<void>
  beforeEach(async () => {
    app = fastify()
    gone = Promise.withResolvers()
    app.get('/', (_request, reply) => {
      reply.raw.once('close', () => gone.resolve())
      return sendAudio(reply, audio, 'audio/wav')
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterEach(() => app.close())

  const chunk = (text: string): IteratorResult<Uint8Array> => ({ done: false, value: Buffer.from(text) })

  describe('audio', () => {
    test('is sent as soon as it is made, once', async () => {
      audio = new Audio('b', 'c')
      audio.first.resolve(chunk('a'))
      const response = await app.inject('/')
      expect([response.body, response.headers['content-type']]).toEqual(['abc', 'audio/wav'])
      expect(audio.reads).toBe(4)
    })

    test('without bytes gives an empty response', async () => {
      audio = new Audio()
      audio.first.resolve({ done: true, value: undefined })
      const response = await app.inject('/')
      expect([response.statusCode, response.body]).toEqual([200, ''])
    })

    test('that fails before its first bytes gives an error', async () => {
      audio = new Audio()
      audio.first.reject(new Error('broken'))
      expect((await app.inject('/')).statusCode).toBe(500)
    })
  })

  test('a disconnect before the first read leaves nothing open', async () => {
    audio = new Audio('b')
    const { port } = app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await vi.waitFor(() => expect(audio.reads).toBe(1), 30_000)
    socket.resetAndDestroy()
    await gone.promise
    audio.first.resolve(chunk('a'))
    await vi.waitFor(() => expect(audio.returns).toBe(1), 30_000)
    expect(audio.reads).toBe(1)
  })

  test('a disconnect in the middle leaves nothing open', async () => {
    audio = new Audio(...Array.from({ length: 1000 }, () => 'b'.repeat(100_000)))
    audio.first.resolve(chunk('a'))
    const { port } = app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1').pause()
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await vi.waitFor(() => expect(audio.reads).toBeGreaterThan(1), 30_000)
    socket.resetAndDestroy()
    await vi.waitFor(() => expect(audio.returns).toBe(1), 30_000)
  })
})

describe('frames of a speech', () => {
  const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

  /** Counts the reads and the cancellations of a speech. */
  let calls: { next: number; return: number }
  beforeEach(() => {
    calls = { next: 0, return: 0 }
  })

  /** A speech of these chunks that ends or fails after them. */
  function frames(chunks: readonly Uint8Array[], failure?: Error): AsyncIterable<string> {
    const rest = [...chunks]
    const speech: AsyncIterator<Uint8Array> = {
      async next() {
        calls.next += 1
        const value = rest.shift()
        if (value !== undefined) return { done: false, value }
        if (failure !== undefined) throw failure
        return { done: true, value }
      },
      async return() {
        calls.return += 1
        return { done: true, value: undefined }
      },
    }
    return speechFrames({ taskId: 'task_1', format, chunks: { [Symbol.asyncIterator]: () => speech } }, 'the-model')
  }

  async function read(all: AsyncIterable<string>): Promise<unknown[]> {
    let text = ''
    for await (const frame of all) text += frame
    const events = text.trimEnd().split('\n\n')
    return events.map((event) => JSON.parse(event.slice('data: '.length)) as unknown)
  }

  const FIRST = [
    { type: 'task.created', task_id: 'task_1', object: 'audio.speech', status: 'PROCESSING', model: 'the-model' },
    { type: 'speech.created', format: 'pcm', sample_rate: 16_000, channels: 1, bit_depth: 16 },
  ]
  const delta = (text: string) => ({ type: 'speech.audio.delta', audio: Buffer.from(text).toString('base64') })

  describe('speech frames', () => {
    test('are the task, the format, the audio and the end', async () => {
      const whole = Buffer.from('abcdef')
      // A chunk may be a view of a larger buffer.
      const all = await read(frames([whole.subarray(2, 4), Buffer.from('')]))
      expect(all).toEqual([...FIRST, delta('cd'), delta(''), { type: 'speech.audio.done' }])
      expect(calls).toEqual({ next: 3, return: 0 })
    })

    test('of a failed speech end with one error, which reveals only client errors', async () => {
      const secret = await read(frames([Buffer.from('ab')], new Error('/srv/secret')))
      const error = { code: 'internal_error', message: expect.not.stringContaining('secret') }
      expect(secret).toEqual([...FIRST, delta('ab'), { type: 'error', error }])
      const refused = await read(frames([], new UnspeakableTextError('Nothing to say')))
      expect(refused.at(-1)).toEqual({ type: 'error', error: { code: 'unspeakable_text', message: 'Nothing to say' } })
    })

    test('end without another read of the speech', async () => {
      for (const failure of [undefined, new Error('broken')]) {
        calls.next = 0
        const reader = frames([], failure)[Symbol.asyncIterator]()
        for (let frame = 0; frame < 2; frame += 1) expect((await reader.next()).done).toBe(false)
        expect(await reader.next()).toEqual({ done: true, value: undefined })
        expect(calls.next).toBe(1)
      }
    })
  })

  describe('a disconnect cancels the speech once', () => {
    const rows: [when: string, reads: number][] = [
      ['before the first frame', 0],
      ['at the first frame', 1],
      ['in the middle', 2],
    ]

    test.each(rows)('%s', async (_when, reads) => {
      const reader = frames([Buffer.from('ab'), Buffer.from('cd')])[Symbol.asyncIterator]()
      for (let frame = 0; frame < reads; frame += 1) expect((await reader.next()).done).toBe(false)
      const asked = calls.next
      expect(await reader.return?.()).toEqual({ done: true, value: undefined })
      expect(calls).toEqual({ next: asked, return: 1 })
      expect(await reader.next()).toEqual({ done: true, value: undefined })
      expect(calls.next).toBe(asked)
    })

    test.each([undefined, new Error('the connection was cut')])(
      'when the stream is destroyed with %s',
      async (error) => {
        const stream = Readable.from(frames([Buffer.from('ab')]), { objectMode: false })
        stream.on('error', () => undefined)
        stream.destroy(error)
        await settle()
        expect(calls).toEqual({ next: 0, return: 1 })
      },
    )

    test('during a read, whose chunk is the last one', async () => {
      const reader = frames([Buffer.from('ab'), Buffer.from('cd')])[Symbol.asyncIterator]()
      await reader.next()
      const [last] = await Promise.all([reader.next(), reader.return?.()])
      expect(last.done).toBe(false)
      expect(await reader.next()).toEqual({ done: true, value: undefined })
      expect(calls).toEqual({ next: 1, return: 1 })
    })
  })
})
