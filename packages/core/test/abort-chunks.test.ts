import { describe, expect, test } from 'vitest'
import { createFetchClient } from '../src/fetch/index.ts'
import { narrate } from '../src/text/index.ts'
import type { PureAudioClient } from '../src/index.ts'
import { API_KEY, connect } from './support/clients.ts'
import { startServer, type TestServer } from './support/servers.ts'
import { CREATED, delta, DONE, frames, openEvents, pcm, PCM_HEADERS, SPEECH, STREAM } from './support/speech.ts'

const CHUNKS = 200
/** The places of an abort: the first chunks, and some later ones. The runtimes of `test-hosts/` try all. */
const PLACES = [0, 1, 2, 3, 5, 8, 20, 50, 100, 150, 198, 199]
const REASON = { why: 'enough' }

/** A service that sends everything at once, so that every chunk has arrived when the first is read. */
function startService(): Promise<TestServer> {
  const audio = Array.from({ length: CHUNKS }, (_, index) => pcm(200, index + 1))
  return startServer((request, response) => {
    request.resume()
    if (request.headers.accept === 'text/event-stream') {
      openEvents(response)
      response.end(frames(CREATED, ...audio.map(delta), DONE))
    } else if (request.headers.accept === 'audio/pcm') response.writeHead(200, PCM_HEADERS).end(Buffer.concat(audio))
    else response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.concat(audio))
  })
}

/** Reads until `after` chunks have arrived, aborts, and reads on. */
async function abortAfter(
  after: number,
  open: (signal: AbortSignal) => Promise<AsyncIterable<unknown>>,
): Promise<{ later: number; error: unknown }> {
  const controller = new AbortController()
  let count = 0
  let later = 0
  try {
    const stream = await open(controller.signal)
    if (after === 0) controller.abort(REASON)
    for await (const _ of stream) {
      if (controller.signal.aborted) later += 1
      count += 1
      if (count === after) controller.abort(REASON)
    }
    return { later, error: controller.signal.aborted ? 'it ended without an error' : REASON }
  } catch (error) {
    return { later, error }
  }
}

const CLIENTS: readonly (readonly [string, (baseUrl: string) => PureAudioClient])[] = [
  ['undici', (baseUrl) => connect(baseUrl)],
  ['fetch', (baseUrl) => createFetchClient({ apiKey: API_KEY, baseUrl })],
]

describe.each(CLIENTS)('over %s', (_, create) => {
  const streams: readonly (readonly [
    string,
    (client: PureAudioClient, signal: AbortSignal) => Promise<AsyncIterable<unknown>>,
  ])[] = [
    ['a stream of events', (client, signal) => client.speech.stream(STREAM, { signal })],
    [
      'a stream of events as a web stream',
      async (client, signal) => (await client.speech.stream(STREAM, { signal })).stream(),
    ],
    ['its events', async (client, signal) => (await client.speech.stream(STREAM, { signal })).events()],
    [
      'a stream of raw PCM',
      (client, signal) => client.speech.stream({ ...STREAM, stream_format: 'audio' }, { signal }),
    ],
    ['short audio', (client, signal) => client.speech.create(SPEECH, { signal })],
    ['a narration', (client, signal) => narrate(client, { ...STREAM, input: 'One. Two.' }, { signal })],
  ]

  test.each(streams)('%s yields no chunk after an abort at any place, and throws its reason', async (_name, open) => {
    const { url } = await startService()
    const client = create(url)
    for (const after of PLACES) {
      const { later, error } = await abortAfter(after, (signal) => open(client, signal))
      expect({ after, later, error }).toEqual({ after, later: 0, error: REASON })
    }
  })
})
