import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createFetchClient } from '../src/fetch/index.ts'
import { ConfigurationError } from '../src/index.ts'
import { API_KEY, collect, listAll, rejection, until } from './support/clients.ts'
import { readUpload } from './support/multipart.ts'
import { respondJson, closedPort, readBody, startRawServer, startServer } from './support/servers.ts'
import { CREATED, delta, DONE, pcm, PCM_HEADERS, sendEvents, SPEECH, STREAM } from './support/speech.ts'
import { NOTHING, watchedFetch } from './support/watched-fetch.ts'

const AUDIO = pcm(200_000)
const TRANSCRIBE = { model: 'svc-transcribe-1.0' } as const

async function* inPieces(bytes: Uint8Array, size = 10_000): AsyncGenerator<Uint8Array, void, undefined> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

describe('the client over fetch', () => {
  test('sends the key and reads JSON', async () => {
    const server = await startServer((request, response) =>
      respondJson(request, response, { object: 'list', data: [] }),
    )
    const { client, signal, held } = watchedFetch(`${server.url}/v1/`)
    expect(await client.models.list({ signal, headers: { 'X-Trace': 'a' } })).toEqual({ object: 'list', data: [] })
    expect(server.requests[0]).toMatchObject({ method: 'GET', url: '/v1/models' })
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${API_KEY}`,
      accept: 'application/json',
      'user-agent': 'svc-audio-core',
      'x-trace': 'a',
    })
    expect(held()).toEqual(NOTHING)
  })

  test('sends JSON with its length and reads audio', async () => {
    let body = ''
    const server = await startServer(async (request, response) => {
      body = String(await readBody(request))
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'x-request-id': 'req-1' }).end(AUDIO)
    })
    const { client, signal, held } = watchedFetch(server.url)
    const audio = await client.speech.create(SPEECH, { signal })
    expect(audio).toMatchObject({ contentType: 'audio/mpeg', contentLength: undefined, requestId: 'req-1' })
    expect(await audio.bytes()).toEqual(new Uint8Array(AUDIO))
    expect(JSON.parse(body)).toEqual(SPEECH)
    expect(server.requests[0]?.headers['content-length']).toBe(String(body.length))
    expect(held()).toEqual(NOTHING)
  })

  test('logs its calls, and corrects the name of an upload', async () => {
    let form = ''
    const server = await startServer(async (request, response) => {
      form = String(await readBody(request))
      await respondJson(request, response, { id: 'file-1' })
    })
    const lines: string[] = []
    const { client } = watchedFetch(server.url, { logger: { debug: (message) => void lines.push(message) } })
    await client.files.create({ file: new Blob(['fLaC']) })
    expect(form).toContain('filename="audio.flac"\r\nContent-Type: audio/flac')
    expect(lines).toEqual(['files.create answered', 'files.create ended'])
  })

  test('reads streams, as PCM, as events and raw', async () => {
    const server = await startServer((request, response) => {
      if (request.headers.accept === 'audio/pcm') response.writeHead(200, PCM_HEADERS).end(AUDIO)
      else sendEvents(response, CREATED, delta(AUDIO), DONE)
    })
    const { client, signal, held } = watchedFetch(server.url)
    const stream = await client.speech.stream(STREAM, { signal })
    expect(await collect(stream)).toEqual(Buffer.from(AUDIO))
    expect(stream.complete).toBe(true)
    expect(await listAll((await client.speech.stream(STREAM, { signal })).events())).toHaveLength(3)
    const raw = await client.speech.stream({ ...STREAM, stream_format: 'audio' }, { signal })
    expect(await collect(raw)).toEqual(Buffer.from(AUDIO))
    await until(() => held().timers === 0)
    expect(held()).toEqual(NOTHING)
  })

  test('reads a compressed body', async () => {
    const { gzipSync } = await import('node:zlib')
    const server = await startServer((_, response) => {
      const body = gzipSync('{"object":"list","data":[]}')
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length }).end(body)
    })
    expect(await watchedFetch(server.url).client.models.list()).toEqual({ object: 'list', data: [] })
  })

  test('is refused without a key, and has no access to files', async () => {
    expect(() => createFetchClient({ apiKey: '', baseUrl: 'http://localhost' })).toThrow(ConfigurationError)
    const { client } = watchedFetch('http://127.0.0.1:9')
    const error = await rejection(client.transcriptions.create({ ...TRANSCRIBE, file: '/tmp/a.wav' }))
    expect(error).toBeInstanceOf(ConfigurationError)
  })
})

test('bytes are sent without a length of the client, because the runtime adds its own', async () => {
  const sent: Record<string, string>[] = []
  const { client } = watchedFetch('http://127.0.0.1:9', {
    async fetch(_, init) {
      sent.push(Object.fromEntries(new Headers(init?.headers)))
      return Response.json({ text: '' })
    },
  })
  await client.speech.createUrl(SPEECH)
  await client.transcriptions.create({ ...TRANSCRIBE, file: AUDIO }, {})
  expect(sent.map((headers) => headers['content-length'])).toEqual([undefined, expect.stringMatching(/^\d+$/)])
})

test('a request whose headers the runtime refuses was not sent', async () => {
  const cause = Object.assign(new Error('invalid content-length header'), { code: 'UND_ERR_INVALID_ARG' })
  const { client } = watchedFetch('http://127.0.0.1:9', {
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
  })
  const error = await rejection(client.models.list({ maxRetries: 0 }))
  expect(error).toMatchObject({ name: 'ConnectionError', maybeSent: false })
})

test('a port that the runtime refuses was not sent', async () => {
  const client = createFetchClient({ apiKey: API_KEY, baseUrl: 'http://127.0.0.1:9', maxRetries: 0 })
  const error = await rejection(client.models.list())
  expect(error).toMatchObject({ name: 'ConnectionError', maybeSent: false })
  expect((error as Error).message).toBe('GET http://127.0.0.1:9/v1/models failed: bad port')
})

test('headers that are too large for the runtime name its option', async () => {
  const server = await startServer((_, response) => void response.setHeader('x-long', 'a'.repeat(20_000)).end('{}'))
  const client = createFetchClient({ apiKey: API_KEY, baseUrl: server.url, maxRetries: 0 })
  const error = await rejection(client.models.list())
  expect(error).toMatchObject({ name: 'ConnectionError', maybeSent: true })
  expect((error as Error).message).toContain('start Node with --max-http-header-size')
})

test('an error of Deno names a refused connection, and not the query of the address', async () => {
  const told =
    'error sending request for url (http://a.example/x?sig=secret): client error (Connect): refused (os error 111)'
  const { client } = watchedFetch('http://127.0.0.1:9', {
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new Error(told) })),
  })
  const error = await rejection(client.models.list({ maxRetries: 0 }))
  expect(error).toMatchObject({ name: 'ConnectionError', maybeSent: false, cause: undefined })
  expect((error as Error).message).toContain('http://a.example/x): client error (Connect)')
  expect((error as Error).message).not.toContain('secret')
})

describe('uploads', () => {
  test.each([true, false, undefined])(
    'arrive whole, with their length, with streamUploads: %s',
    async (streamUploads) => {
      const server = await startServer(async (request, response) => {
        const { file, fields } = await readUpload(request)
        response.end(JSON.stringify({ text: `${fields['model']?.[0]} ${Buffer.compare(file.bytes, AUDIO)}` }))
      })
      const { client, signal, held } = watchedFetch(server.url, { streamUploads })
      const files = [new Blob([new Uint8Array(AUDIO)]), AUDIO, { data: () => inPieces(AUDIO), size: AUDIO.length }]
      for (const file of files) {
        const { text } = await client.transcriptions.create({ ...TRANSCRIBE, file }, { signal })
        expect(text).toBe('svc-transcribe-1.0 0')
        expect(Number(server.requests.at(-1)?.headers['content-length'])).toBeGreaterThan(AUDIO.length)
        expect(held()).toEqual(NOTHING)
      }
    },
  )

  test('of unknown length are sent in chunks, or as a Blob if they are not streamed', async () => {
    const server = await startServer(async (request, response) => {
      const { file } = await readUpload(request)
      response.end(JSON.stringify({ text: String(Buffer.compare(file.bytes, AUDIO)) }))
    })
    for (const streamUploads of [true, false]) {
      const { client } = watchedFetch(server.url, { streamUploads })
      const file = { data: () => inPieces(AUDIO) }
      expect(await client.transcriptions.create({ ...TRANSCRIBE, file })).toEqual({ text: '0' })
    }
    const coding = server.requests.map(({ headers }) => headers['transfer-encoding'])
    expect(coding).toEqual(['chunked', undefined])
  })

  test('are read only as fast as they are sent', async () => {
    let resume = (): void => {}
    const server = await startServer(async (request, response) => {
      await new Promise<void>((resolve) => (resume = resolve))
      await respondJson(request, response, { text: '' })
    })
    let read = 0
    const data = async function* endless(): AsyncGenerator<Uint8Array, void, undefined> {
      for (; read < 1000; read += 1) yield new Uint8Array(100_000)
    }
    const sent = watchedFetch(server.url).client.transcriptions.create({ ...TRANSCRIBE, file: { data } })
    await until(() => read > 0 && server.requests.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(read).toBeLessThan(500)
    resume()
    await sent
    expect(read).toBe(1000)
  })

  test.each([true, false])(
    'that cannot be read fail with the reason, with streamUploads: %s',
    async (streamUploads) => {
      const server = await startServer(async (request) => void (await readBody(request).catch(() => {})))
      const broken = async function* broken(): AsyncGenerator<Uint8Array, void, undefined> {
        yield AUDIO
        throw new Error('the disk is gone')
      }
      const { client, signal, held } = watchedFetch(server.url, { streamUploads })
      const unreadable = await rejection(
        client.transcriptions.create({ ...TRANSCRIBE, file: { data: broken } }, { signal }),
      )
      expect(unreadable).toMatchObject({ name: 'InvalidRequestError', code: 'unreadable_file', param: 'file' })
      const short = { data: () => inPieces(AUDIO), size: AUDIO.length + 1 }
      const mismatch = await rejection(client.transcriptions.create({ ...TRANSCRIBE, file: short }, { signal }))
      expect(mismatch).toMatchObject({ name: 'InvalidRequestError', code: 'size_mismatch' })
      expect(held()).toEqual(NOTHING)
    },
  )

  test('are closed when the service answers before it has read them', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(413, { 'content-type': 'application/json', connection: 'close' })
      response.end('{"error":{"code":"file_too_large","message":"No"}}')
    })
    let left = false
    const data = async function* endless(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for (;;) yield AUDIO
      } finally {
        left = true
      }
    }
    const { client, signal, held } = watchedFetch(server.url)
    const error = await rejection(client.transcriptions.create({ ...TRANSCRIBE, file: { data } }, { signal }))
    expect(error).toMatchObject({ name: expect.stringMatching(/^(?:ApiError|ConnectionError)$/) })
    await until(() => left)
    expect(held()).toEqual(NOTHING)
  })
})

describe('in a browser', () => {
  test('uploads are Blobs, caches are bypassed, and the browser sets its own headers', async () => {
    vi.stubGlobal('document', {})
    onTestFinished(() => void vi.unstubAllGlobals())
    const calls: RequestInit[] = []
    const fetch: typeof globalThis.fetch = async (_, init = {}) => {
      calls.push(init)
      return Response.json({ text: 'a' })
    }
    const { client, held } = watchedFetch('http://audio.invalid', { fetch })
    await client.transcriptions.create({ ...TRANSCRIBE, file: AUDIO })
    expect(calls[0]).toMatchObject({ method: 'POST', redirect: 'manual', cache: 'no-store' })
    expect(calls[0]?.body).toBeInstanceOf(Blob)
    expect(Object.keys(calls[0]?.headers ?? {}).toSorted()).toEqual(['accept', 'authorization', 'content-type'])
    expect(held()).toEqual(NOTHING)
  })

  test('the length of a response from another origin is ignored unless its coding is visible', async () => {
    const respond = (headers: Record<string, string>): Response =>
      Object.defineProperty(new Response('{"text":"a"}', { headers }), 'type', { value: 'cors' })
    const compressed = watchedFetch('http://a.invalid', { fetch: async () => respond({ 'content-length': '5' }) })
    expect(await compressed.client.models.list()).toEqual({ text: 'a' })
  })

  test('a redirect throws a ProtocolError with the remedy', async () => {
    const hidden = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
    })
    const { client, held } = watchedFetch('http://audio.invalid', { fetch: async () => hidden })
    const error = await rejection(client.models.list())
    expect(error).toMatchObject({ name: 'ProtocolError', message: expect.stringContaining('baseUrl') })
    expect(held()).toEqual(NOTHING)
  })
})

describe('errors', () => {
  test('an error body becomes an ApiError', async () => {
    const server = await startServer((request, response) =>
      respondJson(
        request,
        response,
        { error: { code: 'voice_not_found', message: 'No such voice', param: 'voice_id' } },
        404,
      ),
    )
    const { client, signal, held } = watchedFetch(server.url)
    const error = await rejection(client.speech.create(SPEECH, { signal }))
    expect(error).toMatchObject({ name: 'ApiError', status: 404, code: 'voice_not_found', param: 'voice_id' })
    expect(held()).toEqual(NOTHING)
  })

  test.each([301, 302, 303, 307, 308])('a redirect with status %d is not followed', async (status) => {
    const other = await startServer((_, response) => void response.end('{}'))
    const server = await startServer((_, response) => void response.writeHead(status, { location: other.url }).end())
    const error = await rejection(watchedFetch(server.url).client.models.list())
    expect(error).toMatchObject({ name: 'ApiError', status, message: expect.stringContaining('not followed') })
    expect(other.sockets).toHaveLength(0)
  })

  test('a refused connection throws ConnectionError with maybeSent false', async () => {
    const url = await closedPort()
    const { client, signal, held } = watchedFetch(url)
    const error = await rejection(client.voices.list({ status: 'x' }, { signal }))
    expect(error).toMatchObject({ name: 'ConnectionError', maybeSent: false })
    expect((error as Error).message).toMatch(new RegExp(`^GET ${url}/v1/audio/voices failed: (?!GET)`))
    expect((error as Error).message).toContain('ECONNREFUSED')
    expect(held()).toEqual(NOTHING)
  })

  test.each([
    ['closed without a response', ''],
    ['answered with something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  ])('a connection that is %s may have sent something', async (_, response) => {
    const server = await startRawServer((socket) => socket.end(response))
    const error = await rejection(watchedFetch(server.url).client.speech.create(SPEECH))
    expect(error).toMatchObject({ name: 'ConnectionError', maybeSent: true })
    expect((error as Error).message).toContain(`POST ${server.url}/v1/audio/speech failed: `)
    expect((error as Error).message).not.toMatch(/failed: fetch failed/)
  })

  test('no error shows the key', async () => {
    const server = await startRawServer((socket, first) => socket.end(first))
    const error = await rejection(watchedFetch(server.url).client.models.list())
    const { inspect } = await import('node:util')
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(API_KEY)
  })
})
