import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TranscriptionCreateBody, UploadSource } from '../src/index.ts'
import type { TranscriptionRequest } from '../src/wire/index.ts'
import { connect, rejection } from './support/clients.ts'
import { type ReceivedUpload, readUpload } from './support/multipart.ts'
import { readBody, startServer, type TestServer } from './support/servers.ts'
import { pcm } from './support/speech.ts'

const AUDIO = pcm(700_001)
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-uploads-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

/** A server that keeps what it was sent. */
async function startReceiver(): Promise<TestServer & { received: ReceivedUpload[] }> {
  const received: ReceivedUpload[] = []
  const server = await startServer(async (request, response) => {
    received.push(await readUpload(request))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"Good morning"}')
  })
  return { ...server, received }
}

async function upload(
  file: UploadSource,
  body: Partial<Omit<TranscriptionRequest, 'stream' | 'async'>> = {},
): Promise<ReceivedUpload & { server: TestServer }> {
  const server = await startReceiver()
  const result = await connect(server.url).transcriptions.create({
    model: 'svc-transcribe-1.0',
    ...body,
    file,
  } as unknown as TranscriptionCreateBody)
  expect(result).toEqual({ text: 'Good morning' })
  const [received] = server.received
  if (received === undefined) throw new Error('Nothing was received')
  return { ...received, server }
}

describe('interface: transcriptions with a file are multipart', () => {
  const octets = 'application/octet-stream'
  const stream = (): ReadableStream<Uint8Array> => new Blob([AUDIO]).stream()
  async function* generate(): AsyncGenerator<Uint8Array, void, undefined> {
    yield AUDIO.subarray(0, 1)
    yield new Uint8Array(0)
    yield AUDIO.subarray(1, 500_000)
    yield AUDIO.subarray(500_000)
  }

  const known: readonly (readonly [string, () => UploadSource | Promise<UploadSource>, string, string])[] = [
    [
      'a path',
      async () => (await writeFile(join(folder, 'a.wav'), AUDIO), join(folder, 'a.wav')),
      'a.wav',
      'audio/wav',
    ],
    ['bytes', () => AUDIO, 'audio', octets],
    [
      'a Buffer of a larger one',
      () => Buffer.concat([Buffer.alloc(9), AUDIO, Buffer.alloc(9)]).subarray(9, -9),
      'audio',
      octets,
    ],
    ['a Blob', () => new Blob([AUDIO], { type: 'audio/wav' }), 'audio.wav', 'audio/wav'],
    ['a File', () => new File([AUDIO], 'b.mp3', { type: 'audio/mpeg' }), 'b.mp3', 'audio/mpeg'],
    [
      'a stream with its size',
      () => ({ data: generate, size: AUDIO.length, name: 'c.ogg', type: 'audio/ogg' }),
      'c.ogg',
      'audio/ogg',
    ],
    ['a web stream with its size', () => ({ data: stream, size: AUDIO.length }), 'audio', octets],
    ['a bare stream with its size', () => ({ data: stream(), size: AUDIO.length }), 'audio', octets],
  ]

  // rules: transcription.body, transcription-result.text
  test.each(known)('%s arrives byte for byte, with its exact length announced', async (_, source, name, type) => {
    const { file, bodyBytes, server } = await upload(await source())
    expect(server.requests[0]?.headers['content-length']).toBe(String(bodyBytes))
    expect(server.requests[0]?.headers['transfer-encoding']).toBeUndefined()
    expect({ name: file.name, type: file.type }).toEqual({ name, type })
    expect(Buffer.compare(file.bytes, AUDIO)).toBe(0)
  })

  const unknown: readonly (readonly [string, UploadSource])[] = [
    ['a generator', generate],
    ['a web stream', stream],
    ['a Node stream', () => Readable.from([Buffer.from(AUDIO)], { objectMode: false })],
    ['a named stream', { data: generate, name: 'd.wav' }],
    ['a bare generator', generate()],
    ['a bare web stream', stream()],
    ['a bare Node stream', Readable.from([Buffer.from(AUDIO)], { objectMode: false })],
  ]

  test.each(unknown)('%s of unknown size is sent in chunks, byte for byte', async (_, source) => {
    const { file, server } = await upload(source)
    expect(server.requests[0]?.headers['content-length']).toBeUndefined()
    expect(server.requests[0]?.headers['transfer-encoding']).toBe('chunked')
    expect(Buffer.compare(file.bytes, AUDIO)).toBe(0)
  })

  test('an empty file is sent', async () => {
    await writeFile(join(folder, 'empty.wav'), '')
    for (const source of [new Uint8Array(0), new Blob([]), join(folder, 'empty.wav')]) {
      expect((await upload(source)).file.bytes).toHaveLength(0)
    }
  })

  test('the content of a file sets its name and type', async () => {
    const path = join(folder, 'voice.oga')
    const voice = Buffer.concat([Buffer.from(`OggS\0\u0002${'\0'.repeat(20)}\u0001\u0013OpusHead`, 'latin1'), AUDIO])
    await writeFile(path, voice)
    const { file } = await upload(path)
    expect({ name: file.name, type: file.type }).toEqual({ name: 'voice.opus', type: 'audio/ogg' })
    expect(Buffer.compare(file.bytes, voice)).toBe(0)
  })

  // rules: transcription.diarize, transcription.keyterms, endpoints.exact-names
  test('fields come before the file: arrays as repeated fields, booleans as words', async () => {
    const { names, fields } = await upload(AUDIO, {
      model: 'svc-transcribe-diarize-pro',
      diarize: true,
      keyterms: ['svc', 'two words', 'Ærø\r\n语'],
      response_format: 'json',
    })
    expect(names.at(-1)).toBe('file')
    expect(fields).toEqual({
      model: ['svc-transcribe-diarize-pro'],
      diarize: ['true'],
      keyterms: ['svc', 'two words', 'Ærø\r\n语'],
      response_format: ['json'],
    })
  })

  test('a name cannot break out of its header', async () => {
    const { names, file } = await upload({ data: AUDIO, name: 'a"; name="model"\r\n\r\nx.wav' })
    expect(names).toEqual(['model', 'file'])
    expect(file.bytes).toHaveLength(AUDIO.length)
  })

  // rules: transcription.body, transcription.file-id, transcription.audio-url, file.id-use, endpoints.json
  test('without a file the body is JSON', async () => {
    const bodies: unknown[] = []
    const server = await startServer(async (request, response) => {
      bodies.push(JSON.parse(String(await readBody(request))))
      expect(request.headers['content-type']).toBe('application/json')
      response.end('{"text":""}')
    })
    const { transcriptions } = connect(server.url)
    const sources = [
      { file_id: 'file-1' },
      { url: 'https://example.com/a.wav' },
      { audio_url: 'https://example.com/a.wav' },
    ]
    for (const source of sources) {
      await transcriptions.create({ model: 'svc-transcribe-diarize-pro', keyterms: ['a'], diarize: false, ...source })
    }
    const rest = { model: 'svc-transcribe-diarize-pro', keyterms: ['a'], diarize: false }
    expect(bodies).toEqual(sources.map((source) => Object.assign(source, rest)))
  })

  // rules: file-upload.streamed
  test('a large file is not read before it is sent', async () => {
    let made = 0
    const piece = new Uint8Array(256 * 1024)
    const total = 256
    const source = async function* lazy(): AsyncGenerator<Uint8Array, void, undefined> {
      for (; made < total; made += 1) yield piece
    }
    const { promise: mayRead, resolve: read } = Promise.withResolvers<void>()
    const server = await startServer(async (request, response) => {
      await mayRead
      await readBody(request)
      response.end('{"text":"late"}')
    })
    const result = connect(server.url).transcriptions.create({ model: 'svc-transcribe-1.0', file: source })
    let before = -1
    while (before !== made) {
      before = made
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(made).toBeLessThan(total / 2)
    read()
    await expect(result).resolves.toEqual({ text: 'late' })
    expect(made).toBe(total)
  })
})

describe('nothing is sent if the file is invalid', () => {
  test.each<[string, () => Promise<UploadSource>, string]>([
    ['a missing path', async () => join(folder, 'missing.wav'), 'unreadable_file'],
    ['a folder', async () => folder, 'not_a_file'],
    ['a promise of a stream', async () => ({ data: Promise.resolve(new Blob([]).stream()) }) as never, 'invalid_type'],
    ['a type with a line break', async () => ({ data: AUDIO, type: 'a/b\r\nX: 1' }), 'invalid_type'],
    [
      // rules: limits.file-size
      'more than 512 MB',
      async () => ({ data: () => new Blob([]).stream(), size: 512 * 1024 * 1024 + 1 }),
      'file_too_large',
    ],
  ])('%s', async (_, source, code) => {
    const server = await startReceiver()
    const created = connect(server.url).transcriptions.create({ model: 'svc-transcribe-1.0', file: await source() })
    expect(await rejection(created)).toMatchObject({ name: 'InvalidRequestError', code, param: 'file' })
    expect(server.sockets).toHaveLength(0)
  })
})

describe('interface: transcription results', () => {
  // rules: transcription-result.text-form, transcription.response-format
  test('response_format text returns the body', async () => {
    const server = await startServer(async (request, response) => {
      await readBody(request)
      expect(request.headers.accept).toBe('text/plain')
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('Guten Morgen — 早上好\n')
    })
    const { transcriptions } = connect(server.url)
    const body = { model: 'svc-transcribe-1.0', file: AUDIO, response_format: 'text' } as const
    expect(await transcriptions.create(body)).toBe('Guten Morgen — 早上好\n')
  })

  // rules: transcription-result.diarized, transcription-result.no-segments, versioning.policy-open
  test('JSON preserves every field', async () => {
    const answer = { task: 'transcribe', duration: 1.5, text: 'a', segments: [], usage: { new: true } }
    const server = await startServer(async (request, response) => {
      await readBody(request)
      response.end(JSON.stringify(answer))
    })
    const result = await connect(server.url).transcriptions.create({ model: 'svc-transcribe-diarize-pro', file: AUDIO })
    expect(result).toEqual(answer)
  })
})
