import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { ProtocolError, type StreamEvent, StreamFailedError } from '../src/index.ts'
import { collect, connect, listAll, rejection } from './support/clients.ts'
import { memoryClient } from './support/memory-client.ts'
import { closedByClient, readBody, startServer, type TestServer } from './support/servers.ts'
import { CREATED, delta, DONE, frames, openEvents, pcm, sendEvents, STREAM, TASK } from './support/speech.ts'

const AUDIO = pcm(48_000)
const PIECES = [AUDIO.subarray(0, 10_001), AUDIO.subarray(10_001, 10_002), AUDIO.subarray(10_002)]

const serve = (...events: readonly object[]): Promise<TestServer> =>
  startServer((_, response) => sendEvents(response, ...events))

/** Reads a stream to its end, and says what became of it. */
async function outcome(server: TestServer): Promise<unknown> {
  const client = connect(server.url)
  return rejection(client.speech.stream(STREAM).then((stream) => collect(stream)))
}

describe('interface: Streaming speech events', () => {
  // rules: speech-events.any-first, speech-events.task-created, stream.sse-answer
  test.each([
    ['task.created', [TASK, CREATED]],
    ['speech.created', [CREATED]],
    ['an unknown event', [{ type: 'new.kind' }, TASK, CREATED]],
  ])('a stream may start with %s', async (_, start) => {
    const server = await serve(...start, ...PIECES.map(delta), DONE)
    const stream = await connect(server.url).speech.stream(STREAM)
    expect(stream.format).toEqual({ sampleRate: 24_000, channels: 1, bitDepth: 16 })
    expect(stream.taskId).toBe(start.includes(TASK) ? 'task-1' : undefined)
    expect(stream.requestId).toBe('req-1')
    expect(stream.complete).toBe(false)
    expect(await collect(stream)).toEqual(Buffer.from(AUDIO))
    expect(stream.complete).toBe(true)
  })

  // rules: stream.endpoint, stream.language, stream.response-format, stream.stream-format
  test('the request accepts events, and `stream` and `response_format` are set', async () => {
    let body = ''
    const server = await startServer(async (request, response) => {
      body = String(await readBody(request))
      sendEvents(response, CREATED, DONE)
    })
    const options = { voice_id: 'v', language: ' en ', speed: 1.5, expected_duration_sec: 3 } as const
    await collect(await connect(server.url).speech.stream({ ...STREAM, ...options }))
    expect(JSON.parse(body)).toEqual({
      ...STREAM,
      ...options,
      stream: true,
      response_format: 'pcm',
      stream_format: 'sse',
    })
    expect(server.requests[0]?.method).toBe('POST')
    expect(server.requests[0]?.url).toBe('/v1/audio/speech')
    expect(server.requests[0]?.headers).toMatchObject({
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'content-length': String(body.length),
    })
  })

  test('every chunk is whole frames, however the service cuts the audio', async () => {
    const bytes = Array.from(AUDIO.subarray(0, 601), (byte) => delta(Uint8Array.of(byte)))
    const stereo = { ...CREATED, channels: 2, bit_depth: 24 }
    const server = await serve(stereo, ...bytes.slice(0, 600), DONE)
    const sizes: number[] = []
    for await (const chunk of await connect(server.url).speech.stream(STREAM)) sizes.push(chunk.length)
    expect(sizes).toEqual(Array.from({ length: 100 }, () => 6))
  })

  // rules: speech-events.values
  test('the values of speech.created apply', async () => {
    const server = await serve({ ...CREATED, sample_rate: 44_100, channels: 2, bit_depth: 24 }, DONE)
    const { format } = await connect(server.url).speech.stream(STREAM)
    expect(format).toEqual({ sampleRate: 44_100, channels: 2, bitDepth: 24 })
  })

  // rules: speech-events.dispatch-on-type, versioning.policy-open
  test('unknown events are ignored in the audio', async () => {
    const other = { type: 'new.kind', audio: 'AAAA', deep: { a: [1] } }
    const server = await serve(other, CREATED, other, delta(AUDIO), other, { type: 'speech.audio.kind' }, DONE)
    expect(await collect(await connect(server.url).speech.stream(STREAM))).toEqual(Buffer.from(AUDIO))
  })

  // rules: speech-events.dispatch-on-type
  test('events stay unchanged, from the first to the terminal one', async () => {
    const events = [
      { type: 'new.kind', a: null },
      TASK,
      CREATED,
      delta(AUDIO),
      { type: 'other', deep: { a: [1] } },
      DONE,
    ]
    const server = await serve(...events)
    const stream = await connect(server.url).speech.stream(STREAM)
    expect(await listAll(stream.events())).toEqual(events)
    expect(stream.complete).toBe(true)
  })

  // rules: speech-events.empty-delta
  test('an empty delta is ignored wherever it comes', async () => {
    const empty = { type: 'speech.audio.delta', audio: '' }
    const server = await serve(empty, CREATED, empty, delta(AUDIO), empty, DONE)
    const chunks = await listAll(await connect(server.url).speech.stream(STREAM))
    expect(chunks.map((chunk) => chunk.length)).toEqual([AUDIO.length])
  })

  // rules: speech-events.delta
  test('no delta at all is a complete stream without audio', async () => {
    const server = await serve(CREATED, DONE)
    const stream = await connect(server.url).speech.stream(STREAM)
    expect(await collect(stream)).toHaveLength(0)
    expect(stream.complete).toBe(true)
  })

  // rules: speech-events.done
  test('nothing after speech.audio.done is read', async () => {
    const server = await startServer((_, response) => {
      openEvents(response)
      response.end(`${frames(CREATED, delta(AUDIO), DONE)}data: [not JSON\n\n${frames(delta(AUDIO))}`)
    })
    expect(await collect(await connect(server.url).speech.stream(STREAM))).toEqual(Buffer.from(AUDIO))
  })

  test('a last event without its blank line counts', async () => {
    const server = await startServer((_, response) => {
      openEvents(response)
      response.end(`${frames(CREATED, delta(AUDIO))}data: ${JSON.stringify(DONE)}`)
    })
    const stream = await connect(server.url).speech.stream(STREAM)
    await collect(stream)
    expect(stream.complete).toBe(true)
  })

  // rules: speech-events.frames, speech-events.delta
  test('comments, CRLF, other fields and unusual JSON make no difference', async () => {
    const audio = Buffer.from(AUDIO).toString('base64')
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(
        `: open\r\n\r\nid: 1\r\ndata: ${JSON.stringify(CREATED, null, 1).replaceAll('\n', '\r\ndata: ')}\r\n\r\n`,
      )
      response.end(`data:{ "audio" : "${audio}", "type":"speech.audio.delt\\u0061" }\n\n:\n\nevent: x\n${frames(DONE)}`)
    })
    expect(await collect(await connect(server.url).speech.stream(STREAM))).toEqual(Buffer.from(AUDIO))
  })

  test('speech.created may be repeated, but not change the format', async () => {
    const again = await serve(CREATED, delta(AUDIO), CREATED, delta(AUDIO), DONE)
    expect(await collect(await connect(again.url).speech.stream(STREAM))).toHaveLength(2 * AUDIO.length)
    const changed = await serve(CREATED, delta(AUDIO), { ...CREATED, sample_rate: 8000 }, DONE)
    expect(await outcome(changed)).toBeInstanceOf(ProtocolError)
  })
})

describe('a stream that breaks the interface fails, and its connection is closed', () => {
  const broken: readonly (readonly [string, readonly object[]])[] = [
    ['a delta before speech.created', [delta(AUDIO)]],
    ['a delta without audio before speech.created', [{ type: 'speech.audio.delta' }]],
    ['speech.audio.done before speech.created', [DONE]],
    // rules: speech-events.format
    ['a format that is not pcm', [{ ...CREATED, format: 'mp3' }]],
    ['a missing format', [{ ...CREATED, format: undefined }]],
    // rules: speech-events.values
    ['a sample rate of 0', [{ ...CREATED, sample_rate: 0 }]],
    ['a sample rate as text', [{ ...CREATED, sample_rate: '24000' }]],
    ['a broken sample rate', [{ ...CREATED, sample_rate: 22_050.5 }]],
    ['a sample rate beyond WAV', [{ ...CREATED, sample_rate: 2 ** 32 }]],
    // rules: speech-events.values
    ['missing channels', [{ ...CREATED, channels: undefined }]],
    ['negative channels', [{ ...CREATED, channels: -1 }]],
    ['channels beyond WAV', [{ ...CREATED, channels: 65_536 }]],
    // rules: speech-events.values
    ['a bit depth of 12', [{ ...CREATED, bit_depth: 12 }]],
    ['a bit depth of null', [{ ...CREATED, bit_depth: null }]],
    // rules: speech-events.delta
    ['audio that is no Base64', [CREATED, { type: 'speech.audio.delta', audio: 'AAAAA' }]],
    ['audio that is no string', [CREATED, { type: 'speech.audio.delta', audio: [1] }]],
    // rules: speech-events.dispatch-on-type
    ['an event without a type', [CREATED, { audio: 'AAAA' }]],
  ]

  test.each(broken)('%s', async (_, events) => {
    let left: Promise<'left'> | undefined
    const server = await startServer((__, response) => {
      openEvents(response)
      response.write(frames(...events))
      left = closedByClient(response)
    })
    const error = await outcome(server)
    expect(error).toBeInstanceOf(ProtocolError)
    expect(error).toMatchObject({ requestId: 'req-1' })
    expect(await left).toBe('left')
  })

  test('an event of more than 64 MiB is not held', async () => {
    const piece = new Uint8Array(1024 * 1024).fill(120)
    let pieces = 0
    const { client, cancelled } = memoryClient(() => ({
      headers: { 'content-type': 'text/event-stream' },
      chunks: (function* endless() {
        yield Buffer.from(`${frames(CREATED)}data: `)
        for (;;) {
          pieces += 1
          yield piece
        }
      })(),
    }))
    const stream = await client.speech.stream(STREAM)
    expect(await rejection(collect(stream))).toMatchObject({
      name: 'EventTooLargeError',
      maxEventBytes: 64 * 1024 * 1024,
    })
    expect(pieces).toBe(64)
    expect(cancelled()).toBe(1)
  })

  test.each(['data: [DONE]\n\n', 'data: {"type":\n\n'])('%j is no event', async (frame) => {
    const server = await startServer((_, response) => {
      openEvents(response)
      response.end(frames(CREATED) + frame + frames(DONE))
    })
    expect(await outcome(server)).toBeInstanceOf(ProtocolError)
  })

  // rules: stream.sse-answer
  test.each(['application/json', 'text/html; charset=utf-8', 'audio/pcm'])('a body of %s is not read', async (type) => {
    let left: Promise<'left'> | undefined
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': type })
      response.write('{"type":')
      left = closedByClient(response)
    })
    const error = await outcome(server)
    expect(error).toBeInstanceOf(ProtocolError)
    expect((error as Error).message).toContain(type.split(';', 1).join(''))
    expect(await left).toBe('left')
  })
})

describe('interface: an error event is terminal', () => {
  const nested = { type: 'error', error: { code: 'voice_failed', message: 'The voice failed' } }
  const flat = { type: 'error', code: 'voice_failed', message: 'The voice failed' }
  const failed = { name: 'StreamFailedError', code: 'voice_failed', message: 'The voice failed', requestId: 'req-1' }

  test.each([
    // rules: speech-events.error, errors.stream-fields
    ['nested, first', [nested]],
    ['flat, first', [flat]],
    ['nested, before audio', [TASK, CREATED, nested]],
    ['flat, before audio', [CREATED, flat]],
    ['nested, after audio', [CREATED, delta(AUDIO), nested]],
    ['flat, after audio', [CREATED, delta(AUDIO), flat]],
    ['followed by speech.audio.done', [CREATED, delta(AUDIO), nested, DONE]],
  ])('%s', async (_, events) => {
    const error = await outcome(await serve(...events))
    expect(error).toBeInstanceOf(StreamFailedError)
    expect(error).toMatchObject(failed)
  })

  test.each([
    // rules: speech-events.error
    ['only a code', { type: 'error', error: { code: 'c' } }, { code: 'c', message: 'c' }],
    ['only a message', { type: 'error', error: { message: 'm' } }, { code: undefined, message: 'm' }],
    ['a string', { type: 'error', error: 'm' }, { code: undefined, message: 'm' }],
    ['nothing', { type: 'error' }, { code: undefined, message: 'no message' }],
    ['an empty object', { type: 'error', error: {} }, { code: undefined }],
  ])('it may hold %s', async (_, event, expected) => {
    expect(await outcome(await serve(CREATED, event))).toMatchObject({ name: 'StreamFailedError', ...expected })
  })

  // rules: speech-events.failure
  test('the audio before it is delivered, and the stream is not complete', async () => {
    const server = await serve(CREATED, delta(AUDIO), nested)
    const stream = await connect(server.url).speech.stream(STREAM)
    let bytes = 0
    const read = async (): Promise<void> => {
      for await (const chunk of stream) bytes += chunk.length
    }
    await expect(read()).rejects.toBeInstanceOf(StreamFailedError)
    expect(bytes).toBe(AUDIO.length)
    expect(stream.complete).toBe(false)
  })

  test('events() throws it too', async () => {
    const server = await serve(CREATED, delta(AUDIO), nested)
    const stream = await connect(server.url).speech.stream(STREAM)
    const types: string[] = []
    const read = async (): Promise<void> => {
      for await (const event of stream.events()) types.push(event.type)
    }
    await expect(read()).rejects.toMatchObject(failed)
    expect(types).toEqual(['speech.created', 'speech.audio.delta'])
  })

  // rules: speech-events.error
  test('the connection is closed', async () => {
    let left: Promise<'left'> | undefined
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(CREATED, nested))
      left = closedByClient(response)
    })
    await outcome(server)
    expect(await left).toBe('left')
  })
})

describe('timing', () => {
  test('audio is delivered as it arrives, not at the end', async () => {
    const responses: ServerResponse[] = []
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(CREATED))
      responses.push(response)
    })
    const stream = await connect(server.url).speech.stream(STREAM)
    const iterator = stream[Symbol.asyncIterator]()
    for (const piece of [AUDIO.subarray(0, 100), AUDIO.subarray(100, 200)]) {
      responses[0]?.write(frames(delta(piece)))
      // Resolves although the stream has not ended and will not before this is read.
      expect((await iterator.next()).value).toEqual(Buffer.from(piece))
    }
    responses[0]?.end(frames(DONE))
    expect((await iterator.next()).done).toBe(true)
  })

  test('an event as large as a minute of audio arrives whole', async () => {
    const minute = pcm(2_880_000)
    const server = await serve(CREATED, delta(minute), DONE)
    expect(Buffer.compare(await collect(await connect(server.url).speech.stream(STREAM)), minute)).toBe(0)
  })

  test('types of events are as the service spells them', async () => {
    const server = await serve(CREATED, { type: 'Speech.Audio.Done' }, DONE)
    const stream = await connect(server.url).speech.stream(STREAM)
    const events: StreamEvent[] = await listAll(stream.events())
    expect(events.map(({ type }) => type)).toEqual(['speech.created', 'Speech.Audio.Done', 'speech.audio.done'])
  })
})
