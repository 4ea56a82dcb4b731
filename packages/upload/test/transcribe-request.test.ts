import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { AudioClient } from '@svc-audio/core'
import {
  createTestUpstream,
  dropConnection,
  early,
  hold,
  json,
  serverUrl,
  SlowUpload,
  type TestUpstream,
  uploadForm,
  wavFile,
} from '@svc-audio/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { disconnectSignal, failureAnswer, type TranscribeOptions, transcribeRequest } from '../src/index.ts'
import { assertTranscribeOptions } from '../src/adapter.ts'

const MODEL = { model: 'svc-transcribe-1.0' }

let upstream: TestUpstream
let client: AudioClient
let server: Server
let failures: unknown[]
beforeEach(async () => {
  upstream = await createTestUpstream({ transcript: 'hello' })
  client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
  failures = []
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
  await client.close()
  await upstream.close()
})

/** A server without a framework that transcribes. Returns its address. */
async function serve(options: TranscribeOptions<IncomingMessage> = MODEL): Promise<string> {
  server = createServer((request, response) => {
    const context = { client, signal: disconnectSignal(response), context: request }
    transcribeRequest(request, options, context).then(
      (outcome) => response.end(JSON.stringify(outcome)),
      (error: unknown) => {
        failures.push(error)
        const { status, code } = failureAnswer(error) ?? { status: 500, code: 'unknown' }
        response.writeHead(status).end(JSON.stringify(code))
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return serverUrl(server)
}

async function post(url: string, form: FormData): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { method: 'POST', body: form })
  const body: unknown = await response.json()
  return { status: response.status, body }
}

test('the file reaches the service unchanged, and both outcomes are returned', async () => {
  const url = await serve()
  const content = wavFile(300_000)
  const form = uploadForm(content, { name: 'größe.wav', type: 'application/x-other' })
  form.append('title', 'after')
  expect(await post(url, form)).toEqual({
    status: 200,
    body: {
      transcription: { text: 'hello' },
      upload: {
        filename: 'größe.wav',
        declaredType: 'application/x-other',
        sniffedType: 'audio/wav',
        bytes: content.byteLength,
        fields: { title: ['after'] },
        values: { title: 'after' },
      },
    },
  })
  expect(upstream.requests[0]?.form).toMatchObject({
    fields: { model: ['svc-transcribe-1.0'], response_format: ['json'] },
    files: [{ filename: 'größe.wav', contentType: 'audio/wav', content }],
  })
})

test('content without a signature keeps its declared type', async () => {
  const url = await serve({ ...MODEL, allowRaw: true })
  await post(url, uploadForm(Buffer.alloc(5000), { name: 'raw.pcm', type: 'audio/x-pcm' }))
  expect(upstream.requests[0]?.form?.files).toMatchObject([{ contentType: 'audio/x-pcm' }])
})

test('fields of the request replace the fixed ones', async () => {
  const fixed = { model: 'svc-transcribe-diarize-pro', diarize: false, keyterms: ['fixed'] }
  const url = await serve({
    ...fixed,
    body: async (_request, { filename }) => ({ diarize: true, keyterms: [filename] }),
  })
  await post(url, uploadForm(wavFile(10), { name: 'Ölkanne.wav' }))
  expect(upstream.requests[0]?.form?.fields).toEqual({
    model: ['svc-transcribe-diarize-pro'],
    diarize: ['true'],
    keyterms: ['Ölkanne.wav'],
    response_format: ['json'],
  })
})

test('a failing `body` sends nothing and discards the upload', async () => {
  const url = await serve({ ...MODEL, body: () => Promise.reject(new Error('no such tenant')) })
  const upload = new SlowUpload(url)
  await upload.send(wavFile(10_000))
  expect(await upload.answer()).toMatchObject({ status: 500 })
  expect(String(failures)).toContain('no such tenant')
  expect(upstream.requests).toEqual([])
  upload.leave()
})

test('a response before the end of the upload is used, without the missing fields', async () => {
  upstream.on('*', early(json({ text: 'early' })))
  const upload = new SlowUpload(await serve())
  await upload.send(wavFile(200_000))
  expect(await upload.answer()).toMatchObject({ body: { transcription: { text: 'early' }, upload: { fields: {} } } })
  upload.leave()
})

test('a call with a broken connection is not retried', async () => {
  upstream.on('*', dropConnection({ early: true }))
  expect(await post(await serve(), uploadForm(wavFile(100_000)))).toMatchObject({ status: 502 })
  expect(upstream.requests).toHaveLength(1)
})

test('the deadline ends the call', async () => {
  upstream.on('*', hold())
  expect(await post(await serve({ ...MODEL, timeout: 1000 }), uploadForm(wavFile(10)))).toMatchObject({ status: 504 })
  expect(await upstream.requests[0]?.closed()).toBe('closedByClient')
})

test('a disconnect aborts the call, and no response is sent', async () => {
  const upload = new SlowUpload(await serve())
  await upload.send(wavFile(200_000))
  const request = await upstream.waitForRequest()
  await request.received(100_000)
  upload.leave()
  expect(await request.closed()).toBe('closedByClient')
  expect(request.complete).toBe(false)
  expect(failures.map((error) => failureAnswer(error))).toMatchObject([{ status: 499, code: 'client_disconnected' }])
})

test("the default file limit is the interface's", async () => {
  const url = await serve({ ...MODEL, maxFileSize: 1000 })
  expect(await post(url, uploadForm(wavFile(956)))).toMatchObject({ status: 200 })
  expect(await post(url, uploadForm(wavFile(957)))).toEqual({ status: 413, body: 'file_too_large' })
  expect(() => assertTranscribeOptions(MODEL)).not.toThrow()
  expect(() => assertTranscribeOptions({ ...MODEL, maxFileSize: 0 })).toThrow('maxFileSize')
})
