import { describe, expect, test } from 'vitest'
import type { AudioBody, SpeechStream } from '../src/index.ts'
import { collect, listAll, rejection, until } from './support/clients.ts'
import { closedByClient, startRawServer, startServer, type TestServer } from './support/servers.ts'
import {
  CREATED,
  delta,
  DONE,
  frames,
  openEvents,
  pcm,
  PCM_HEADERS,
  sendEvents,
  SPEECH,
  STREAM,
} from './support/speech.ts'
import { startStalledListener } from './support/stalled-listener.ts'
import { type WatchedClient, watchedClient } from './support/watched-client.ts'

const AUDIO = pcm(4000)
const REASON = { why: 'enough', not: 'an Error' }
const RAW = { ...STREAM, stream_format: 'audio' } as const

const NOTHING = { timers: 0, listeners: 0 }

const held = ({ timers, listeners }: WatchedClient): object => ({ timers: timers(), listeners: listeners() })

/** A server that says something and then falls silent; `left` resolves when the client has gone. */
async function startSilentServer(
  say: 'nothing' | 'headers' | 'audio',
): Promise<TestServer & { left: () => Promise<'left' | undefined> }> {
  const leaving: Promise<'left'>[] = []
  const server = await startServer((request, response) => {
    leaving.push(closedByClient(response))
    if (say === 'nothing') return
    const events = String(request.headers.accept).includes('event-stream')
    if (events) openEvents(response)
    else
      response.writeHead(200, request.headers.accept === 'audio/pcm' ? PCM_HEADERS : { 'content-type': 'audio/mpeg' })
    if (events) response.write(say === 'audio' ? frames(CREATED, delta(AUDIO)) : ': open\n\n')
    else if (say === 'audio') response.write(AUDIO)
    else response.flushHeaders()
  })
  return { ...server, left: async () => (await Promise.all(leaving))[0] }
}

describe('an abort rejects with the signal’s reason', () => {
  const calls: readonly (readonly [string, (watched: WatchedClient) => Promise<unknown>])[] = [
    ['speech.create', ({ client, signal }) => client.speech.create(SPEECH, { signal })],
    ['speech.createUrl', ({ client, signal }) => client.speech.createUrl(SPEECH, { signal })],
    ['speech.stream', ({ client, signal }) => client.speech.stream(STREAM, { signal })],
    ['speech.stream of raw PCM', ({ client, signal }) => client.speech.stream(RAW, { signal })],
    [
      'transcriptions.create',
      ({ client, signal }) =>
        client.transcriptions.create({ model: 'svc-transcribe-1.0', file: AUDIO, response_format: 'text' }, { signal }),
    ],
    ['voices.list', ({ client, signal }) => client.voices.list({}, { signal })],
    ['models.list', ({ client, signal }) => client.models.list({ signal })],
  ]

  test.each(calls)('%s, aborted before its start, sends nothing', async (_, call) => {
    const server = await startSilentServer('nothing')
    const watched = watchedClient(server.url)
    watched.abort(REASON)
    expect(await rejection(call(watched))).toBe(REASON)
    expect(server.sockets).toHaveLength(0)
    expect(held(watched)).toEqual(NOTHING)
  })

  test.each(calls)('%s, aborted before the response, closes its connection', async (_, call) => {
    const server = await startSilentServer('nothing')
    const watched = watchedClient(server.url)
    const failed = rejection(call(watched))
    await until(() => server.requests.length === 1)
    expect(watched.listeners()).toBe(1)
    watched.abort(REASON)
    expect(await failed).toBe(REASON)
    expect(await server.left()).toBe('left')
    expect(held(watched)).toEqual(NOTHING)
  })

  test.each(calls)('%s, aborted while it connects, does not wait for the connection', async (_, call) => {
    const watched = watchedClient(await startStalledListener())
    const failed = rejection(call(watched))
    await new Promise((resolve) => setTimeout(resolve, 20))
    watched.abort(REASON)
    expect(await failed).toBe(REASON)
    expect(held(watched)).toEqual(NOTHING)
  })

  test.each([null, undefined, 'text', '', 0, false])('even if that is %j', async (reason) => {
    const server = await startSilentServer('nothing')
    const watched = watchedClient(server.url)
    const failed = rejection(watched.client.models.list({ signal: watched.signal }))
    await until(() => server.requests.length === 1)
    watched.abort(reason)
    expect(await failed).toBe(watched.signal.reason)
    expect(await server.left()).toBe('left')
  })

  test('and sends nothing if it comes before the transport is loaded', async () => {
    const server = await startSilentServer('nothing')
    const watched = watchedClient(server.url)
    const failed = rejection(watched.client.models.list({ signal: watched.signal }))
    watched.abort(0)
    expect(await failed).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(server.requests).toHaveLength(0)
  })

  test('AbortSignal.timeout() rejects with its own TimeoutError', async () => {
    const server = await startSilentServer('nothing')
    const { client } = watchedClient(server.url)
    const error = await rejection(client.models.list({ signal: AbortSignal.timeout(20) }))
    expect(error).toBeInstanceOf(DOMException)
    expect(error).toMatchObject({ name: 'TimeoutError' })
  })

  test('a stream is cancelled before speech.created', async () => {
    const server = await startSilentServer('headers')
    const watched = watchedClient(server.url)
    const failed = rejection(watched.client.speech.stream(STREAM, { signal: watched.signal }))
    await until(() => server.requests.length === 1)
    watched.abort(REASON)
    expect(await failed).toBe(REASON)
    expect(await server.left()).toBe('left')
    expect(held(watched)).toEqual(NOTHING)
  })

  const readers: readonly (readonly [string, (opened: AudioBody | SpeechStream) => Promise<unknown>])[] = [
    ['iterated', (opened) => collect(opened)],
    ['read as a web stream', (opened) => collect(opened.stream())],
    ['read whole', (opened) => ('bytes' in opened ? opened.bytes() : opened.toWav())],
  ]
  const opens: readonly (readonly [string, (watched: WatchedClient) => Promise<AudioBody | SpeechStream>])[] = [
    ['audio', ({ client, signal }) => client.speech.create(SPEECH, { signal })],
    ['a stream', ({ client, signal }) => client.speech.stream(STREAM, { signal })],
    ['raw PCM', ({ client, signal }) => client.speech.stream(RAW, { signal })],
  ]

  describe.each(opens)('%s in mid-stream', (_, open) => {
    test.each(readers)('%s', async (__, read) => {
      const server = await startSilentServer('audio')
      const watched = watchedClient(server.url)
      const failed = rejection(read(await open(watched)))
      expect(watched.timers()).toBe(1)
      watched.abort(REASON)
      expect(await failed).toBe(REASON)
      expect(await server.left()).toBe('left')
      expect(held(watched)).toEqual(NOTHING)
    })

    test('without a pending read: the connection closes at once, and a later read rejects with the reason', async () => {
      const server = await startSilentServer('audio')
      const watched = watchedClient(server.url)
      const opened = await open(watched)
      watched.abort(REASON)
      expect(await server.left()).toBe('left')
      expect(held(watched)).toEqual(NOTHING)
      expect(await rejection(collect(opened))).toBe(REASON)
    })

    test('after the first chunk', async () => {
      const server = await startSilentServer('audio')
      const watched = watchedClient(server.url)
      const iterator = (await open(watched))[Symbol.asyncIterator]()
      expect((await iterator.next()).value).toHaveLength(4000)
      watched.abort(REASON)
      expect(await rejection(iterator.next())).toBe(REASON)
      expect(await server.left()).toBe('left')
    })
  })

  test('an abort wins over the error status whose body is being read', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.write('{"error":')
    })
    const watched = watchedClient(server.url)
    const failed = rejection(watched.client.models.list({ signal: watched.signal }))
    await until(() => server.requests.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    watched.abort(REASON)
    expect(await failed).toBe(REASON)
    expect(held(watched)).toEqual(NOTHING)
  })
})

describe('an ended call has no listener and no timer', () => {
  const server = (): Promise<TestServer> =>
    startServer((request, response) => {
      if (request.headers.accept === 'text/event-stream') sendEvents(response, CREATED, delta(AUDIO), DONE)
      else if (request.headers.accept === 'audio/pcm') response.writeHead(200, PCM_HEADERS).end(AUDIO)
      else if (request.headers.accept === '*/*') response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(AUDIO)
      else response.end('{"object":"list","data":[]}')
    })

  test('after any end', async () => {
    const watched = watchedClient((await server()).url)
    const { client, signal } = watched
    const ends: readonly (() => Promise<unknown>)[] = [
      () => client.models.list({ signal }),
      async () => (await client.speech.create(SPEECH, { signal })).bytes(),
      async () => (await client.speech.create(SPEECH, { signal })).cancel(),
      async () => (await client.speech.create(SPEECH, { signal })).stream().cancel(),
      async () => (await client.speech.create(SPEECH, { signal }))[Symbol.asyncIterator]().return(undefined),
      async () => (await client.speech.create(SPEECH, { signal })).saveTo('/nowhere/a.mp3').catch(() => {}),
      async () => collect(await client.speech.stream(STREAM, { signal })),
      async () => listAll((await client.speech.stream(STREAM, { signal })).events()),
      async () => (await client.speech.stream(STREAM, { signal })).cancel(),
      async () => (await client.speech.stream(STREAM, { signal })).stream().cancel(),
      async () => (await client.speech.stream(STREAM, { signal })).events().return(undefined),
      async () => collect(await client.speech.stream(RAW, { signal })),
      async () => (await client.speech.stream(RAW, { signal }))[Symbol.asyncIterator]().return(undefined),
      () => client.speech.create({ ...SPEECH, input: '' }, { signal }).catch(() => {}),
      () => client.voices.list({ limit: 0 }, { signal }).catch(() => {}),
    ]
    for (const end of ends) {
      await end()
      expect(held(watched)).toEqual(NOTHING)
    }
  })

  test('in an error', async () => {
    const failing = await startServer((_, response) => void response.writeHead(500).end('{}'))
    const watched = watchedClient(failing.url)
    await rejection(watched.client.models.list({ signal: watched.signal }))
    expect(held(watched)).toEqual(NOTHING)
    const nobody = await startRawServer((socket) => socket.destroy())
    const lost = watchedClient(nobody.url)
    await rejection(lost.client.models.list({ signal: lost.signal }))
    expect(held(lost)).toEqual(NOTHING)
  })
})
