import { getEventListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../src/adapter.ts'
import { nodeTransport, type TranscriptionStream } from '../src/index.ts'
import { PureAudioClient } from '../src/pure.ts'
import { webClock } from '../src/transport/idle-timer.ts'
import { API_KEY, connect, listAll, rejection, until } from './support/clients.ts'
import { closedByClient, startServer, type TestServer } from './support/servers.ts'
import { frames, openEvents, sendEvents } from './support/speech.ts'
import { steppedClock } from './support/stepped-clock.ts'

const TASK = { type: 'task.created', task_id: 't-1', object: 'audio.transcription', status: 'PROCESSING', model: 'm' }
const SEGMENT = { type: 'transcript.segment.done', content_index: 0, speaker: 'S01', text: '你好，世界。' }
const DONE = { type: 'transcript.text.done', text: '你好，世界。' }
const ALL = [
  TASK,
  { type: 'transcript.text.delta', delta: '你好，' },
  { type: 'transcript.text.delta', delta: '世界。' },
  SEGMENT,
  DONE,
]

const BODY = { model: 'svc-transcribe-diarize-pro', file_id: 'f' } as const

interface OpenOptions {
  readonly signal?: AbortSignal
  readonly clock?: Clock
  readonly idleEventsTimeout?: number
}

/** A transcription stream over the real transport. */
async function open(server: TestServer, options: OpenOptions = {}): Promise<TranscriptionStream> {
  const { clock = webClock, ...rest } = options
  const client = new PureAudioClient({
    apiKey: API_KEY,
    baseUrl: server.url,
    transport: nodeTransport(),
    clock,
    ...rest,
  })
  onTestFinished(() => client.close())
  return client.transcriptions.stream(BODY, options.signal === undefined ? {} : { signal: options.signal })
}

/** A server that sends these events and then falls silent. */
async function startSilent(...events: readonly object[]): Promise<TestServer & { left: () => Promise<unknown> }> {
  const leaving: Promise<'left'>[] = []
  const server = await startServer((_, response) => {
    leaving.push(closedByClient(response))
    openEvents(response)
    response.write(`: open\n\n${frames(...events)}`)
  })
  return { ...server, left: async () => (await Promise.all(leaving))[0] }
}

describe('a transcription over HTTP', () => {
  // rules: transcription.stream, transcription-events.frames
  test('is read to its end', async () => {
    const server = await startServer((_, response) => sendEvents(response, ...ALL))
    const stream = await open(server)
    expect(stream).toMatchObject({ taskId: 't-1', requestId: 'req-1', complete: false })
    expect(await listAll(stream)).toEqual(ALL)
    expect(stream).toMatchObject({ complete: true, segments: [SEGMENT] })
    expect(await stream.text()).toBe('你好，世界。')
  })

  test('yields each piece as it arrives, also if it is cut inside a character', async () => {
    const responses: ServerResponse[] = []
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(TASK))
      responses.push(response)
    })
    const pieces = (await open(server)).deltas()
    for (const event of ALL.slice(1, 3)) {
      const bytes = Buffer.from(frames(event))
      const inside = bytes.indexOf(0xe4) + 1
      responses[0]?.write(bytes.subarray(0, inside))
      await new Promise((resolve) => setTimeout(resolve, 10))
      responses[0]?.write(bytes.subarray(inside))
      expect(await pieces.next()).toEqual({ done: false, value: 'delta' in event ? event.delta : '' })
    }
    responses[0]?.end(frames(DONE))
    expect(await pieces.next()).toEqual({ done: true, value: undefined })
  })

  test('frees its connection for the next call', async () => {
    let finished = 0
    const server = await startServer((_, response) => {
      response.on('finish', () => (finished += 1))
      sendEvents(response, ...ALL)
    })
    const client = connect(server.url)
    for (let count = 1; count <= 3; count += 1) {
      await (await client.transcriptions.stream(BODY)).text()
      await until(() => finished === count)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    expect(server.sockets).toHaveLength(1)
  })

  test('that fails or is cut throws', async () => {
    const failing = await startServer((_, response) =>
      sendEvents(response, TASK, { type: 'error', code: 'c', message: 'm' }),
    )
    expect(await rejection((await open(failing)).text())).toMatchObject({ name: 'StreamFailedError', code: 'c' })
    const cut = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(...ALL.slice(0, 3)), () => response.destroy())
    })
    const error = await rejection(open(cut).then((stream) => stream.text()))
    expect(error).toMatchObject({ name: 'StreamTruncatedError', requestId: 'req-1' })
  })
})

describe('an early end of a transcription', () => {
  test.each<[string, (stream: TranscriptionStream) => Promise<unknown>]>([
    ['by cancel()', async (stream) => stream.cancel()],
    ['by return() before the first read', async (stream) => stream.deltas().return()],
    [
      'by break',
      async (stream) => {
        for await (const event of stream) if (event.type === 'task.created') break
      },
    ],
    [
      'by return() while a read waits',
      async (stream) => {
        const events = stream.events()
        await events.next()
        const waiting = rejection(events.next())
        await events.return()
        expect(await waiting).toMatchObject({ name: 'StreamTruncatedError' })
      },
    ],
  ])('%s closes its connection', async (_, leave) => {
    const server = await startSilent(TASK)
    await leave(await open(server))
    expect(await server.left()).toBe('left')
  })

  test('by an abort rejects with the reason, and removes timer and listener', async () => {
    for (const reason of [{ why: 'enough' }, undefined, 0]) {
      const server = await startSilent(TASK)
      const controller = new AbortController()
      const clock = steppedClock()
      const stream = await open(server, { signal: controller.signal, clock, idleEventsTimeout: 100 })
      const failed = rejection(stream.text())
      controller.abort(reason)
      expect(await failed).toBe(controller.signal.reason)
      expect(await server.left()).toBe('left')
      expect(clock.timers()).toBe(0)
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    }
  })

  test('without a reader, by an abort, removes timer and listener', async () => {
    const server = await startSilent(TASK)
    const controller = new AbortController()
    const clock = steppedClock()
    const stream = await open(server, { signal: controller.signal, clock, idleEventsTimeout: 100 })
    controller.abort('enough')
    expect(await server.left()).toBe('left')
    expect(clock.timers()).toBe(0)
    expect(await rejection(stream.text().then(() => stream.text()))).toBe('enough')
  })
})

describe('the deadline between two events', () => {
  test('ends a stream with only comments', async () => {
    const server = await startSilent(TASK)
    const clock = steppedClock()
    const stream = await open(server, { clock, idleEventsTimeout: 60_000 })
    const failed = rejection(stream.text())
    await new Promise((resolve) => setTimeout(resolve, 20))
    clock.advance(60_000)
    expect(await failed).toMatchObject({ name: 'TimeoutError', phase: 'events' })
    expect(await server.left()).toBe('left')
    expect(clock.timers()).toBe(0)
  })

  test('passes by itself, on the real clock', async () => {
    const server = await startSilent(TASK)
    const stream = await open(server, { idleEventsTimeout: 40 })
    expect(await rejection(stream.text())).toMatchObject({ name: 'TimeoutError', phase: 'events' })
    expect(await server.left()).toBe('left')
  })

  test('does not count the time of the reader', async () => {
    const server = await startServer((_, response) => sendEvents(response, ...ALL))
    const clock = steppedClock()
    let events = 0
    for await (const event of await open(server, { clock, idleEventsTimeout: 100 })) {
      expect(event.type).toBeDefined()
      events += 1
      clock.advance(10_000)
    }
    expect(events).toBe(5)
    expect(clock.timers()).toBe(0)
  })
})
