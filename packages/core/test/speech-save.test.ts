import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { encodeWav } from '../src/audio/index.ts'
import { InvalidRequestError, type SpeechStream, StreamFailedError } from '../src/index.ts'
import { collect, connect, rejection } from './support/clients.ts'
import { closedByClient, startServer } from './support/servers.ts'
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

const AUDIO = pcm(48_000)
const FORMAT = { sampleRate: 24_000, channels: 1, bitDepth: 16 }
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-save-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

async function openStream(...events: readonly object[]): Promise<SpeechStream> {
  const server = await startServer((_, response) => sendEvents(response, ...events))
  return connect(server.url).speech.stream(STREAM)
}

describe('a stream as a WAV', () => {
  const events = [CREATED, delta(AUDIO.subarray(0, 9999)), delta(AUDIO.subarray(9999)), DONE]

  test('has true sizes in memory', async () => {
    const stream = await openStream(...events)
    expect(Buffer.from(await stream.toWav())).toEqual(Buffer.from(encodeWav(FORMAT, [AUDIO])))
  })

  test('has the same bytes as a file', async () => {
    const path = join(folder, 'a.wav')
    const saved = await (await openStream(...events)).saveTo(path)
    expect(saved).toEqual({ bytes: 44 + AUDIO.length, durationSeconds: 1, complete: true })
    expect(await readFile(path)).toEqual(Buffer.from(encodeWav(FORMAT, [AUDIO])))
    expect(await readdir(folder)).toEqual(['a.wav'])
  })

  test('is padded after an odd number of bytes', async () => {
    const mono8 = { ...CREATED, bit_depth: 8 }
    const path = join(folder, 'a.wav')
    const saved = await (await openStream(mono8, delta(AUDIO.subarray(0, 101)), DONE)).saveTo(path)
    const wav = Buffer.from(encodeWav({ ...FORMAT, bitDepth: 8 }, [AUDIO.subarray(0, 101)]))
    expect(saved.bytes).toBe(wav.length)
    expect(await readFile(path)).toEqual(wav)
  })

  test('of raw PCM reports that it may be incomplete', async () => {
    const server = await startServer((_, response) => void response.writeHead(200, PCM_HEADERS).end(AUDIO))
    const stream = await connect(server.url).speech.stream({ ...STREAM, stream_format: 'audio' })
    expect(await stream.saveTo(join(folder, 'a.wav'))).toEqual({
      bytes: 44 + AUDIO.length,
      durationSeconds: 0.75,
      complete: false,
    })
  })

  test('that is cut removes its file', async () => {
    const stream = await openStream(CREATED, delta(AUDIO))
    expect(await rejection(stream.saveTo(join(folder, 'a.wav')))).toMatchObject({ name: 'StreamTruncatedError' })
    expect(await readdir(folder)).toEqual([])
  })

  test('that fails removes its file', async () => {
    const stream = await openStream(CREATED, delta(AUDIO), { type: 'error', error: { code: 'c', message: 'm' } })
    expect(await rejection(stream.saveTo(join(folder, 'a.wav')))).toBeInstanceOf(StreamFailedError)
    expect(await readdir(folder)).toEqual([])
  })

  test('that is aborted removes its file', async () => {
    const controller = new AbortController()
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(CREATED, delta(AUDIO)))
    })
    const stream = await connect(server.url).speech.stream(STREAM, { signal: controller.signal })
    const saving = rejection(stream.saveTo(join(folder, 'a.wav')))
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await saving).toBe(reason)
    expect(await readdir(folder)).toEqual([])
  })

  test('that cannot be written closes the connection', async () => {
    let left: Promise<'left'> | undefined
    const server = await startServer((_, response) => {
      openEvents(response)
      response.write(frames(CREATED))
      left = closedByClient(response)
    })
    const stream = await connect(server.url).speech.stream(STREAM)
    const error = await rejection(stream.saveTo(join(folder, 'missing', 'a.wav')))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(await left).toBe('left')
  })
})

describe('audio can be read once', () => {
  test('a stream', async () => {
    const stream = await openStream(CREATED, delta(AUDIO), DONE)
    const iterator = stream[Symbol.asyncIterator]()
    expect(() => stream[Symbol.asyncIterator]()).toThrow(TypeError)
    expect(() => stream.events()).toThrow(TypeError)
    expect(() => stream.stream()).toThrow(TypeError)
    expect(await rejection(stream.toWav())).toBeInstanceOf(TypeError)
    expect(await rejection(stream.saveTo(join(folder, 'a.wav')))).toBeInstanceOf(TypeError)
    expect(await readdir(folder)).toEqual([])
    // None of these took anything from the reader that has it.
    expect(await collect(iterator)).toEqual(Buffer.from(AUDIO))
    expect(stream.complete).toBe(true)
  })

  test('an audio', async () => {
    const server = await startServer(
      (_, response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(AUDIO),
    )
    const audio = await connect(server.url).speech.create(SPEECH)
    const iterator = audio[Symbol.asyncIterator]()
    expect(() => audio[Symbol.asyncIterator]()).toThrow(TypeError)
    expect(() => audio.stream()).toThrow(TypeError)
    expect(await rejection(audio.bytes())).toBeInstanceOf(TypeError)
    expect(await rejection(audio.saveTo(join(folder, 'a.mp3')))).toBeInstanceOf(TypeError)
    expect(await readdir(folder)).toEqual([])
    expect(await collect(iterator)).toEqual(Buffer.from(AUDIO))
  })

  test('a web stream of either takes it at once', async () => {
    const stream = await openStream(CREATED, delta(AUDIO), DONE)
    const web = stream.stream()
    expect(() => stream[Symbol.asyncIterator]()).toThrow(TypeError)
    expect(await collect(web)).toEqual(Buffer.from(AUDIO))
  })
})
