import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import express, { type Express } from 'express'
import type { request } from 'undici'
import { ownCpuSeconds, peakMemory } from '../harness/process-costs.ts'

/** Cost of an app since its start: its response to `GET /cost`. */
export interface AppCost {
  readonly peakBytes: number
  readonly cpuSeconds: number
}

/** Name of an app. */
export type AppName = 'ours' | 'web' | 'bare' | 'bare web' | 'multer + openai' | 'express-fileupload + openai'

// Process entry: one app that forwards uploads. Arguments: its name and the service's address.
const [name, origin] = process.argv.slice(2) as [AppName, string]
const model = 'svc-transcribe-1.0'

/** No app limits the size. Each loads only its own libraries, because memory is measured. */
const LISTENERS: Readonly<Record<AppName, () => Promise<RequestListener>>> = {
  ours: async () => {
    const { AudioClient } = await import('@svc-audio/core')
    const { transcribeUpload } = await import('@svc-audio/express-middleware')
    const app = withCost(express())
    const client = new AudioClient({ apiKey: 'key', baseUrl: origin })
    app.post('/', transcribeUpload({ client, model }), (request, response) => void response.json(request.transcription))
    return app
  },
  web: async () => {
    const { AudioClient } = await import('@svc-audio/core')
    const { transcribeUpload } = await import('@svc-audio/upload')
    const { getRequestListener } = await import('@hono/node-server')
    const transcribe = transcribeUpload({ client: new AudioClient({ apiKey: 'key', baseUrl: origin }), model })
    const answer = getRequestListener((request) =>
      request.method === 'GET' ? Response.json(cost()) : transcribe(request),
    )
    return (request, response) => void answer(request, response)
  },
  bare: async () => {
    const { default: busboy } = await import('busboy')
    const { request: send } = await import('undici')
    const app = withCost(express())
    app.post('/', (upload, response) => {
      const parser = busboy({ headers: upload.headers })
      parser.on('file', (_field, file) => {
        pipeOn(file, send).then(
          (text) => response.json({ text }),
          (error: unknown) => response.status(502).end(String(error)),
        )
      })
      upload.pipe(parser)
    })
    return app
  },
  'bare web': async () => {
    const { default: busboy } = await import('busboy')
    const { request: send } = await import('undici')
    const { getRequestListener } = await import('@hono/node-server')
    const forward = async ({ headers, body }: Request): Promise<Response> => {
      if (body === null) return new Response(null, { status: 400 })
      const parser = busboy({ headers: Object.fromEntries(headers) })
      const answer = Promise.withResolvers<string>()
      parser.on('file', (_field, file) => answer.resolve(pipeOn(file, send)))
      Readable.fromWeb(body).pipe(parser)
      return Response.json({ text: await answer.promise })
    }
    const answer = getRequestListener((request) =>
      request.method === 'GET' ? Response.json(cost()) : forward(request),
    )
    return (request, response) => void answer(request, response)
  },
  'multer + openai': async () => {
    const { default: multer } = await import('multer')
    const app = withCost(express())
    app.post('/', multer({ dest: tmpdir() }).single('file'), (request, response, next) => {
      transcribeFile(request.file?.path ?? '').then((text) => response.json({ text }), next)
    })
    return app
  },
  'express-fileupload + openai': async () => {
    const { default: fileUpload } = await import('express-fileupload')
    const app = withCost(express())
    app.post('/', fileUpload({ useTempFiles: true, tempFileDir: tmpdir() }), (request, response, next) => {
      transcribeFile(request.files?.['file']?.tempFilePath ?? '').then((text) => response.json({ text }), next)
    })
    return app
  },
}

function withCost(app: Express): Express {
  app.get('/cost', (_request, response) => void response.json(cost()))
  return app
}

function cost(): AppCost {
  return { peakBytes: peakMemory(), cpuSeconds: ownCpuSeconds() }
}

/** Forwards a form's part in a hand-written multipart request, as careful engineers write it. */
async function pipeOn(file: AsyncIterable<Uint8Array>, send: typeof request): Promise<string> {
  const head =
    `--bare\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n` +
    '--bare\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n'
  async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
    yield Buffer.from(head)
    yield* file
    yield Buffer.from('\r\n--bare--\r\n')
  }
  const headers = { 'content-type': 'multipart/form-data; boundary=bare' }
  const options = { method: 'POST', headers, body: Readable.from(body(), { objectMode: false }) } as const
  const answer = await send(`${origin}/v1/audio/transcriptions`, options)
  const { text } = (await answer.body.json()) as { text: string }
  return text
}

/** The usual way with an SDK: the stored file as a stream. */
async function transcribeFile(path: string): Promise<string> {
  const { default: OpenAI } = await import('openai')
  const openai = new OpenAI({ apiKey: 'key', baseURL: `${origin}/v1`, maxRetries: 0 })
  try {
    const { text } = await openai.audio.transcriptions.create({ model, file: createReadStream(path) })
    return text
  } finally {
    await rm(path, { force: true })
  }
}

const server = createServer(await LISTENERS[name]())
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has this kind of address.
  const { port } = server.address() as AddressInfo
  process.send?.(`http://127.0.0.1:${port}`)
})
// Without the parent, no uploads will arrive.
process.once('disconnect', () => process.exit())
