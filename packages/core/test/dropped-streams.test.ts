import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { createFetchClient } from '../src/fetch/index.ts'
import { createSemaphore, type PureAudioClient, TimeoutError } from '../src/index.ts'
import { API_KEY, connect, type ConnectOptions, rejection, until } from './support/clients.ts'
import { startServer } from './support/servers.ts'
import { CREATED, delta, frames, openEvents, pcm, PCM_HEADERS, SPEECH, STREAM } from './support/speech.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const CALLS = 40

/** A service that sends some audio and then holds each response open. `open` counts the responses. */
async function startService(): Promise<{ readonly url: string; readonly open: () => number }> {
  let open = 0
  const { url } = await startServer((request, response) => {
    request.resume()
    open += 1
    response.once('close', () => (open -= 1))
    if (request.headers.accept === 'text/event-stream') {
      openEvents(response)
      response.write(frames(CREATED, delta(pcm(100)), delta(pcm(100)), { type: 'transcript.text.delta', delta: 'a' }))
    } else {
      response.writeHead(200, request.headers.accept === 'audio/pcm' ? PCM_HEADERS : { 'content-type': 'audio/mpeg' })
      response.write(pcm(1000))
    }
  })
  return { url, open: () => open }
}

const CLIENTS: readonly (readonly [string, (baseUrl: string, options: ConnectOptions) => PureAudioClient])[] = [
  ['undici', (baseUrl, options) => connect(baseUrl, options)],
  [
    'fetch',
    (baseUrl, { semaphore, logger, unreadTimeout }) => {
      const given = { logger, unreadTimeout, ...(semaphore === undefined ? {} : { semaphore }) }
      return createFetchClient({ apiKey: API_KEY, baseUrl, ...given })
    },
  ],
]

const CASES: readonly (readonly [string, (client: PureAudioClient, signal: AbortSignal) => Promise<unknown>])[] = [
  ['a stream of events', (client, signal) => client.speech.stream(STREAM, { signal })],
  ['a stream of raw PCM', (client, signal) => client.speech.stream({ ...STREAM, stream_format: 'audio' }, { signal })],
  ['audio', (client, signal) => client.speech.create(SPEECH, { signal })],
  [
    'a transcription',
    (client, signal) =>
      client.transcriptions.stream({ model: 'svc-transcribe-diarize-pro', file: pcm(100) }, { signal }),
  ],
  [
    'a stream whose reader left after a chunk without a word',
    async (client, signal) => {
      const reader = (await client.speech.stream(STREAM, { signal }))[Symbol.asyncIterator]()
      return reader.next()
    },
  ],
]

describe.each(CLIENTS)('over %s', (_, create) => {
  test.each(CASES)('%s that is dropped closes its connection when it is collected', async (_name, call) => {
    const server = await startService()
    const lines: string[] = []
    const client = create(server.url, {
      semaphore: createSemaphore(CALLS),
      logger: { debug: (line) => void lines.push(line) },
    })
    // A signal that outlives the calls must not keep their responses.
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: CALLS }, () => call(client, signal).then(() => undefined)))
    await until(() => {
      collectGarbage()
      return server.open() === 0
    })
    const dropped = lines.filter((line) =>
      line.endsWith('was dropped before its end: read the response, or call cancel()'),
    )
    expect(dropped).toHaveLength(CALLS)
  })

  test.each(CASES.slice(0, 4))('%s that nobody begins to read ends after unreadTimeout', async (_name, call) => {
    const server = await startService()
    const client = create(server.url, { unreadTimeout: 50 })
    const response = await call(client, new AbortController().signal)
    await until(() => server.open() === 0)
    const read = async (): Promise<void> => {
      for await (const chunk of response as AsyncIterable<unknown>) void chunk
    }
    const error = await rejection(read())
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ phase: 'unread', message: 'Nobody began to read the response within 50 ms' })
  })

  test('a response that is being read outlives unreadTimeout and every collection', async () => {
    const server = await startService()
    const client = create(server.url, { unreadTimeout: 50 })
    const chunks = (await client.speech.stream(STREAM))[Symbol.asyncIterator]()
    expect((await chunks.next()).value).toHaveLength(100)
    for (let round = 0; round < 10; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      collectGarbage()
    }
    expect(server.open()).toBe(1)
    expect((await chunks.next()).value).toHaveLength(100)
    await chunks.return()
  })
})

test('1,000 streams that are dropped unread leave no socket after their collection', { timeout: 120_000 }, async () => {
  const server = await startService()
  const client = connect(server.url, { semaphore: createSemaphore(1000), maxRetries: 0 })
  await Promise.all(Array.from({ length: 1000 }, () => client.speech.stream(STREAM).then(() => undefined)))
  expect(server.open()).toBeGreaterThan(0)
  await until(() => {
    collectGarbage()
    return server.open() === 0
  })
  expect(server.open()).toBe(0)
})

test('an invalid unreadTimeout is refused by name', () => {
  expect(() => connect('http://127.0.0.1:9', { unreadTimeout: 0 })).toThrow('`unreadTimeout` must be')
})
