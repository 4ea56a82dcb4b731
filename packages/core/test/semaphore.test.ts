import { describe, expect, onTestFinished, test } from 'vitest'
import { createSemaphore, nodeTransport, type Semaphore, type SpeechStream } from '../src/index.ts'
import { PureAudioClient } from '../src/pure.ts'
import { telemetry } from '../src/adapter.ts'
import { API_KEY, collect, connect, rejection, until } from './support/clients.ts'
import { type ManualClock, manualClock } from './support/manual-clock.ts'
import { startServer } from './support/servers.ts'
import { CREATED, delta, frames, openEvents, pcm, SPEECH, STREAM } from './support/speech.ts'
import type { ServerResponse } from 'node:http'

/** A server that holds every response back until the test lets it go. */
async function startHolding(): Promise<{ url: string; held: ServerResponse[]; requests: unknown[] }> {
  const held: ServerResponse[] = []
  const { url, requests } = await startServer((request, response) => {
    if (request.method === 'GET') response.end('{"object":"list","data":[]}')
    else held.push(response)
  })
  return { url, held, requests }
}

const finish = (response: ServerResponse | undefined): void => {
  response?.writeHead(200, { 'content-type': 'audio/wav' }).end('abc')
}

test('the semaphore limits billable calls in flight, and calls that only read do not wait', async () => {
  const { url, held } = await startHolding()
  const audio = connect(url, { semaphore: createSemaphore(2) })
  const calls = [1, 2, 3].map(async () => (await audio.speech.create(SPEECH)).bytes())
  await until(() => held.length === 2)
  await audio.models.list()
  expect(held).toHaveLength(2)
  finish(held[0])
  await until(() => held.length === 3)
  finish(held[1])
  finish(held[2])
  expect(await Promise.all(calls)).toHaveLength(3)
})

test('unread audio holds no place: call 65 is sent', async () => {
  const server = await startServer((_, response) => {
    // More than the connection and the client buffer.
    response.writeHead(200, { 'content-type': 'audio/wav' }).end(Buffer.alloc(1024 * 1024))
  })
  const audio = connect(server.url)
  const bodies = await Promise.all(Array.from({ length: 64 }, () => audio.speech.create(SPEECH)))
  expect(await (await audio.speech.create(SPEECH)).bytes()).toHaveLength(1024 * 1024)
  expect(await bodies[0]?.bytes()).toHaveLength(1024 * 1024)
})

describe('a stream holds its place', () => {
  /** A client with one place and a clock that the test moves, and what it logs. */
  async function open(): Promise<{
    clock: ManualClock
    log: string[]
    stream: SpeechStream
    next: Promise<SpeechStream>
  }> {
    const { url } = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(CREATED, delta(pcm(4000)), delta(pcm(4000))))
    })
    const clock = manualClock()
    const log: string[] = []
    const client = new PureAudioClient({
      apiKey: API_KEY,
      baseUrl: url,
      transport: nodeTransport(),
      clock,
      semaphore: createSemaphore(1),
      observe: telemetry({ logger: { debug: (message) => void log.push(message) } }),
    })
    onTestFinished(() => client.close())
    const stream = await client.speech.stream(STREAM)
    return { clock, log, stream, next: client.speech.stream(STREAM) }
  }

  const WAITS = 'speech.stream waits for the semaphore: too many billable calls are in flight'

  test('until it is cancelled', async () => {
    const { stream, next, log } = await open()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(log.filter((message) => message === 'speech.stream answered')).toHaveLength(1)
    stream.cancel()
    await next
  })

  test('until it has no reader for ten seconds while another call waits, and the wait is logged', async () => {
    const { clock, next, log } = await open()
    await clock.advance(10_000)
    expect(log).toContain(WAITS)
    await clock.advance(10_000)
    await next
  })

  test('while it is read, even if the audio is slow', async () => {
    const { clock, stream, next, log } = await open()
    const reading = rejection(collect(stream))
    for (let tick = 0; tick < 5; tick += 1) {
      await clock.advance(10_000)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(log.filter((message) => message === WAITS)).toHaveLength(5)
    expect(log.filter((message) => message === 'speech.stream answered')).toHaveLength(1)
    stream.cancel()
    await reading
    await next
  })
})

test.each([
  ['an error', (response: ServerResponse) => void response.writeHead(403).end('{}')],
  ['a lost connection', (response: ServerResponse) => void response.destroy()],
])('%s frees the place', async (_, fail) => {
  const { url, held } = await startHolding()
  const audio = connect(url, { semaphore: createSemaphore(1) })
  const failed = rejection(audio.speech.create(SPEECH))
  await until(() => held.length === 1)
  const next = audio.speech.create(SPEECH)
  if (held[0] !== undefined) fail(held[0])
  await failed
  await until(() => held.length === 2)
  finish(held[1])
  expect(await (await next).bytes()).toHaveLength(3)
})

test('an abort in the queue sends nothing', async () => {
  const { url, held, requests } = await startHolding()
  const audio = connect(url, { semaphore: createSemaphore(1) })
  const first = audio.speech.create(SPEECH)
  await until(() => held.length === 1)
  const controller = new AbortController()
  const failed = rejection(audio.speech.create(SPEECH, { signal: controller.signal }))
  controller.abort('enough')
  expect(await failed).toBe('enough')
  finish(held[0])
  await (await first).bytes()
  expect(requests).toHaveLength(1)
})

test('a custom semaphore is acquired before each attempt', async () => {
  const { url, held } = await startHolding()
  const told: string[] = []
  const semaphore: Semaphore = {
    acquire: async (signal) => {
      told.push(`in ${signal.aborted}`)
      return () => void told.push('out')
    },
  }
  const call = connect(url, { semaphore }).speech.create(SPEECH)
  await until(() => held.length === 1)
  finish(held[0])
  await (await call).bytes()
  expect(told).toEqual(['in false', 'out'])
})
