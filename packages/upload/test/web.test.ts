import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Callback, createWebhookReceiver } from '@svc-audio/core/webhooks'
import { AudioClient } from '@svc-audio/core'
import {
  createTestUpstream,
  events,
  serverUrl,
  SlowUpload,
  stall,
  type TestUpstream,
  uploadForm,
  wavFile,
} from '@svc-audio/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  forwardUpload,
  fromWebRequest,
  transcribeUpload,
  UploadError,
  type UploadValues,
  type WebHandler,
} from '../src/index.ts'
import { type AnswerJson, type CheckedRespond, failureResponse, type TranscribeHandlerCommon } from '../src/adapter.ts'

const KEY = 'sk-sekret-key'
const MB = 1024 * 1024
const EVENTS = [
  { type: 'task.created', task_id: 't1', object: 'audio.transcription', status: 'PROCESSING', model: 'svc-x' },
  { type: 'transcript.text.delta', delta: 'hello' },
  { type: 'transcript.text.done', text: 'hello' },
]

let upstream: TestUpstream
let client: AudioClient
let server: Server | undefined
const lines: string[] = []
const logger = { error: (line: string) => void lines.push(line) }
beforeEach(async () => {
  lines.length = 0
  upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
  client = new AudioClient({ apiKey: KEY, baseUrl: upstream.url })
})
afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
  await client.close()
  await upstream.close()
})

/** A request without a server, as a runtime hands it over. */
const post = (body: FormData | string, init: RequestInit = {}): Request =>
  new Request('http://app.example/x?secret=1', { method: 'POST', body, ...init })

type Loose = TranscribeHandlerCommon<Request, UploadValues> &
  CheckedRespond<Request> &
  Pick<AnswerJson<Request, UploadValues, Response>, 'answer'>
const transcribe = (options: Partial<Loose> = {}): WebHandler =>
  transcribeUpload({ client, logger, ...options } as never)

async function send(answering: Promise<Response>, outgoing: ServerResponse | Http2ServerResponse): Promise<void> {
  const { status, headers, body } = await answering
  // By name: the two classes share no signature of `writeHead`.
  outgoing.statusCode = status
  for (const [name, value] of headers) outgoing.setHeader(name, value)
  if (body === null) outgoing.end()
  else await pipeline(Readable.fromWeb(body as never), outgoing).catch(() => {})
}

/** The Web request of a request of Node, as the adapters of fetch servers for Node make it. */
function webRequest(
  incoming: IncomingMessage | Http2ServerRequest,
  outgoing: ServerResponse | Http2ServerResponse,
): Request {
  const controller = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) controller.abort()
  })
  const headers = Object.entries(incoming.headers).filter(([name]) => !name.startsWith(':'))
  return new Request(`http://app.example${incoming.url ?? '/'}`, {
    method: incoming.method ?? 'GET',
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
    body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
    duplex: 'half',
    signal: controller.signal,
  })
}

/** Serves a handler over real HTTP. */
async function serve(handle: WebHandler): Promise<{ url: string }> {
  server = createServer((incoming, outgoing) => void send(handle(webRequest(incoming, outgoing)), outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: serverUrl(server) }
}

describe('a Web request', () => {
  test('is transcribed: the file reaches the service unchanged', async () => {
    const content = wavFile(300_000)
    const response = await transcribe()(post(uploadForm(content)))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ text: 'hello' })
    expect(upstream.requests).toMatchObject([{ form: { files: [{ field: 'file', content }] } }])
  })

  test('is answered by the app with text and upload', async () => {
    const handle = transcribe({
      answer: ({ transcription, upload }, { url }: Request) =>
        Response.json({ text: transcription.text, ...upload, url }),
    })
    const form = uploadForm(wavFile(2000), { name: 'größe.wav' })
    form.append('title', 'Weekly')
    expect(await (await handle(post(form))).json()).toMatchObject({
      text: 'hello',
      filename: 'größe.wav',
      values: { title: 'Weekly' },
      url: 'http://app.example/x?secret=1',
    })
  })

  test('starts a task, and the app gets it before the response', async () => {
    const ids: string[] = []
    const handle = transcribe({ respond: 'task', onTask: ({ id }) => void ids.push(id) })
    const response = await handle(post(uploadForm(wavFile(2000))))
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({ id: ids[0], status: 'PENDING' })
  })

  test('holds the callbacks of a task until `onTask` has ended, also if it throws: then the log has the id', async () => {
    const handled: string[] = []
    const receiver = createWebhookReceiver({
      client,
      secret: 'a secret of thirty-two characters',
      url: 'https://app.example/hooks',
      handlers: { '*': ({ id }) => void handled.push(id) },
    })
    const addresses: string[] = []
    const callback = async (): Promise<Callback> => {
      const made = await receiver.createCallback()
      addresses.push(made.url)
      return made
    }
    const call = async (id: string): Promise<number> => {
      const request = new Request(addresses.at(-1) ?? '', { method: 'POST', body: JSON.stringify({ id }) })
      return (await receiver.handle(request)).status
    }
    const ids: string[] = []
    const onTask = async ({ id }: { readonly id: string }): Promise<void> => {
      ids.push(id)
      await upstream.completeTask(id)
      expect(await call(id)).toBe(503)
      if (ids.length > 1) throw new Error('the table is locked')
    }
    const handle = transcribe({ respond: 'task', webhook_url: callback, onTask })
    const { status } = await handle(post(uploadForm(wavFile(2000))))
    expect([status, await call(ids[0] ?? '')]).toEqual([202, 200])
    await expect(handle(post(uploadForm(wavFile(2000))))).rejects.toThrow('the table is locked')
    expect(await call('another-task')).toBe(401)
    expect(await call(ids[1] ?? '')).toBe(200)
    expect(handled).toEqual(ids)
    expect(lines).toEqual([expect.stringContaining(`the task ${ids[1]} was created`)])
  })

  test('refuses a `webhook_url` that is neither an address nor a callback', () => {
    const wrong: object = { webhook_url: { url: 'https://app.example/hook' } }
    expect(() => transcribe({ respond: 'task', ...wrong })).toThrow('or the result of createCallback()')
  })

  test('streams into any call', async () => {
    const handle = forwardUpload({
      call: ({ file, options }) => client.voices.create({ audio_sample: file, name: 'mine' }, options),
    })
    const response = await handle(post(uploadForm(wavFile(2000))))
    expect(await response.json()).toMatchObject({ object: 'audio.voice', name: 'mine' })
  })
})

describe('a refused Web request', () => {
  test.each<[string, Partial<Loose>, () => Request, number, string]>([
    ['another field', {}, () => post(uploadForm(wavFile(9), { field: 'photo' })), 400, 'unexpected_file'],
    ['no file', {}, () => post(new FormData()), 400, 'missing_file'],
    ['JSON', {}, () => post('{}', { headers: { 'content-type': 'application/json' } }), 415, 'not_multipart'],
    ['a file too large', { maxFileSize: 1000 }, () => post(uploadForm(wavFile(5000))), 413, 'file_too_large'],
    ['a PDF', {}, () => post(uploadForm(Buffer.from('%PDF-1.7'))), 415, 'unsupported_content'],
    ['no body', {}, () => new Request('http://app.example', { method: 'POST' }), 400, 'empty_body'],
  ])('with %s is answered, and nothing reaches the service', async (_name, options, request, status, code) => {
    const response = await transcribe(options)(request())
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code } })
    expect(upstream.requests).toHaveLength(0)
  })

  test('whose body was read before says so', async () => {
    const request = post(uploadForm(wavFile(2000)))
    await request.arrayBuffer()
    expect(() => fromWebRequest(request)).toThrow(UploadError)
    const response = await transcribe()(request)
    expect(response.status).toBe(500)
    expect(lines.join('')).toContain('body_already_read')
  })

  test('gets its response over HTTP although the client is still sending', async () => {
    const { url } = await serve(transcribe({ maxFileSize: MB }))
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(
          Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nRIFF\0\0\0\0WAVEfmt '),
        )
      },
      pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024)),
    })
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const response = await fetch(url, { method: 'POST', body, headers, duplex: 'half' })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: { code: 'file_too_large' } })
  })

  test('closes its connection over HTTP/1.1 if the rest is longer than `limits.drain`', async () => {
    const { url } = await serve(transcribe())
    const response = await fetch(url, { method: 'POST', body: uploadForm(wavFile(20 * MB), { field: 'photo' }) })
    expect([response.status, response.headers.get('connection')]).toEqual([400, 'close'])
  })

  test('has no header of connections over HTTP/2, which forbids them', async () => {
    const sent: Headers[] = []
    const handle = transcribe({ limits: { drain: { maxBytes: MB, timeout: 60_000 } } })
    const http2 = createHttp2Server((incoming, outgoing) => {
      const answering = handle(webRequest(incoming, outgoing))
      void answering.then(({ headers }) => sent.push(headers))
      void send(answering, outgoing)
    })
    http2.listen(0, '127.0.0.1')
    await once(http2, 'listening')
    const session = connectHttp2(serverUrl(http2))
    const stream = session.request({
      ':method': 'POST',
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': String(100 * MB),
    })
    stream.write('--x\r\nContent-Disposition: form-data; name="photo"; filename="a.wav"\r\n\r\ncontent')
    const [headers] = (await once(stream, 'response')) as [Readonly<Record<string, unknown>>]
    expect(headers[':status']).toBe(400)
    expect(sent.map((one) => one.has('connection'))).toEqual([false])
    session.destroy()
    http2.close()
  })

  test('whose body the framework ends at a limit of its own is 413', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('--x\r\n')),
      pull: (controller) => controller.error(Object.assign(new Error('BODY_SIZE_LIMIT'), { status: 413 })),
    })
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const request = new Request('http://app.example', { method: 'POST', body, headers, duplex: 'half' })
    const response = await transcribe()(request)
    expect([response.status, await response.json()]).toMatchObject([413, { error: { code: 'form_too_large' } }])
  })

  test('by an option of the app goes to the framework', async () => {
    const handle = transcribe({
      maxFileSize: () => {
        throw new Error('no plan')
      },
    })
    await expect(handle(post(uploadForm(wavFile(9))))).rejects.toThrow('no plan')
  })
})

describe('events', () => {
  test('are the response, while the audio is recognized', async () => {
    upstream.on('*', events(EVENTS))
    const response = await transcribe({ respond: 'sse' })(post(uploadForm(wavFile(2000))))
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const text = await response.text()
    expect(text.split('\n\n').filter((frame) => frame !== '')).toEqual(
      EVENTS.map((event) => `data: ${JSON.stringify(event)}`),
    )
  })

  test('end with a safe error event when the service fails in mid-stream, and the failure is logged', async () => {
    upstream.on(
      '*',
      events([...EVENTS.slice(0, 2), { type: 'error', error: { code: 'boom', message: `sekret ${KEY}` } }]),
    )
    const response = await transcribe({ respond: 'sse' })(post(uploadForm(wavFile(2000))))
    const text = await response.text()
    expect(text).toContain('"type":"error"')
    expect(text).not.toContain('sekret')
    await expect.poll(() => lines.join('')).toContain('POST /x')
    expect(lines.join('')).not.toContain('secret=1')
  })

  test('stop the call when the client cancels', async () => {
    upstream.on('*', stall({ afterBytes: 200 }, events(EVENTS)))
    const response = await transcribe({ respond: 'sse' })(post(uploadForm(wavFile(2000))))
    await response.body?.cancel()
    expect(await (await upstream.waitForRequest()).closed()).toBe('closedByClient')
  })
})

test('a client that disconnects in mid-upload aborts the call', async () => {
  const { url } = await serve(transcribe())
  const upload = new SlowUpload(url)
  await upload.send(wavFile(200_000))
  const request = await upstream.waitForRequest()
  await request.received(100_000)
  upload.leave()
  expect(await request.closed()).toBe('closedByClient')
  expect(request.complete).toBe(false)
})

test('failureResponse leaves unknown errors to the framework, and names when to retry', async () => {
  expect(failureResponse(new Error('other'))).toBeUndefined()
  const response = failureResponse(new UploadError('empty_file', 'The file is empty'))
  expect(await response?.json()).toEqual({ error: { code: 'empty_file', message: 'The file is empty' } })
})

test('one handler serves the request itself and an object with the request, also by its type', async () => {
  const handle = transcribeUpload({ client })
  const forNext: WebHandler = handle
  const forSvelteKit: WebHandler<{ readonly request: Request; readonly locals: object }> = handle
  expect((await forNext(post(uploadForm(wavFile(2000))))).status).toBe(200)
  expect((await forSvelteKit({ request: post(uploadForm(wavFile(2000))), locals: {} })).status).toBe(200)
})

test('options that the handler would ignore are refused when it is made', () => {
  const onTask = (): void => {}
  expect(() => transcribe({ onTask })).toThrow("`onTask` needs respond: 'task'")
  expect(() => transcribe({ respond: 'task', answer: () => new Response() })).toThrow("`answer` needs respond: 'json'")
})
