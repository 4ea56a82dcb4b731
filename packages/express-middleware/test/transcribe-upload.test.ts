import { AudioClient } from '@svc-audio/core'
import {
  type ScriptedResponse,
  createTestUpstream,
  type ErrorFields,
  happy,
  hold,
  slowReader,
  SlowUpload,
  status,
  type TestUpstream,
  uploadForm,
  wavFile,
} from '@svc-audio/testing'
import type { RequestHandler } from 'express'
import { afterEach, describe, expect, test } from 'vitest'
import { transcribeUpload, type TranscribeUploadOptions } from '../src/index.ts'
import { KEY, startApp, type TestApp } from './support/app.ts'

const MB = 1024 * 1024

let upstream: TestUpstream | undefined
let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
  app = undefined
})

interface Started {
  readonly app: TestApp
  readonly upstream: TestUpstream
  readonly address: string
}

async function start(
  answer: ScriptedResponse = happy,
  options: Partial<TranscribeUploadOptions> = {},
): Promise<Started> {
  upstream = (await createTestUpstream({ apiKey: KEY, transcript: 'hello' })).on('*', answer)
  app = await startApp(upstream.url, (routes, client) => {
    const transcribe = transcribeUpload({ client, model: 'svc-transcribe-1.0', maxFileSize: 10 * MB, ...options })
    routes.post('/transcribe', transcribe, (request, response) => {
      response.json({ transcription: request.transcription, upload: request.upload })
    })
  })
  return { app, upstream, address: `${app.url}/transcribe` }
}

async function post(address: string, body: FormData | string) {
  const response = await fetch(address, { method: 'POST', body })
  const answer: unknown = await response.json()
  return { status: response.status, headers: response.headers, body: answer }
}

const error = (code: string) => ({ error: { code, message: expect.stringMatching(/^[A-Z].+/) as string } })

describe('a refused upload', () => {
  test('is reported with its status and code', async () => {
    const { address, app: running } = await start()
    expect(await post(address, new FormData())).toMatchObject({ status: 400, body: error('missing_file') })
    expect(running.reported).toMatchObject([{ status: 400, code: 'missing_file' }])
  })
})

describe('a service that fails', () => {
  const SECRET = `sekret words of the service, ${KEY}`
  const fails = (code: number, fields: ErrorFields = {}): ScriptedResponse =>
    status(code, { error: { code: SECRET, message: SECRET, ...fields } })

  test('is reported with its error', async () => {
    const { address, app: running } = await start(fails(404))
    expect(await post(address, uploadForm(wavFile(1000)))).toMatchObject({ status: 502 })
    expect(running.reported).toMatchObject([{ status: 502, code: 'audio_service_unavailable' }])
    const { error: reported } = running.reported[0] ?? {}
    expect(reported).toMatchObject({ name: 'AudioGatewayError', cause: { name: 'ApiError', status: 404 } })
  })

  test('with a broken connection during the upload is a 502', async () => {
    const { address, upstream: service, app: running } = await start()
    const upload = new SlowUpload(address)
    await upload.send(wavFile(200_000))
    const request = await service.waitForRequest()
    await request.received(100_000)
    request.cut()
    expect(await upload.answer()).toMatchObject({ status: 502, body: error('audio_service_unavailable') })
    expect(running.reported).toMatchObject([{ error: { cause: { name: 'ConnectionError' } } }])
    upload.leave()
  })

  test('without a connection is a 502', async () => {
    const { address, upstream: service } = await start()
    await service.close()
    expect(await post(address, uploadForm(wavFile(1000)))).toMatchObject({
      status: 502,
      body: error('audio_service_unavailable'),
    })
  })
})

test('that does not read pauses the upload', async () => {
  const reader = slowReader()
  const { address, app: running, upstream: service } = await start(reader, { maxFileSize: 500 * MB })
  const upload = new SlowUpload(address)
  let taken = 0
  const send = async (): Promise<void> => {
    for (; taken < 500; taken += 1) await upload.send(taken === 0 ? wavFile(MB) : Buffer.alloc(MB))
  }
  void send()
  // While bytes are still accepted, the upload is not yet paused.
  for (let before = -1; before !== taken;) {
    before = taken
    await new Promise((resolve) => {
      setTimeout(resolve, 300)
    })
  }
  expect(taken).toBeLessThan(100)
  // Node does not notice a closed connection while nothing reads from it.
  upload.leave()
  const request = await service.waitForRequest()
  reader.release()
  expect(await request.closed()).toBe('closedByClient')
  expect(await running.errors(1)).toMatchObject([{ status: 499 }])
})

describe('a browser that disconnects', () => {
  test('during the upload aborts the call to the service, and nothing is written', async () => {
    const { address, app: running, upstream: service } = await start()
    const upload = new SlowUpload(address)
    await upload.send(wavFile(200_000))
    const request = await service.waitForRequest()
    await request.received(100_000)
    upload.leave()
    expect(await request.closed()).toBe('closedByClient')
    expect(request.complete).toBe(false)
    expect(await running.errors(1)).toMatchObject([{ status: 499, code: 'client_disconnected' }])
  })

  test('while the service works aborts the call too', async () => {
    const { address, app: running, upstream: service } = await start(hold())
    const disconnecting = new AbortController()
    const response = fetch(address, {
      method: 'POST',
      body: uploadForm(wavFile(1000)),
      signal: disconnecting.signal,
    }).catch(() => 'disconnected')
    const request = await service.waitForRequest()
    await request.received(1000)
    disconnecting.abort()
    expect(await request.closed()).toBe('closedByClient')
    expect(await response).toBe('disconnected')
    expect(await running.errors(1)).toMatchObject([{ status: 499, code: 'client_disconnected' }])
  })
})

test('a wrong option throws when the app starts', () => {
  const client = new AudioClient({ apiKey: KEY, baseUrl: 'http://127.0.0.1:1' })
  expect(() => transcribeUpload({ client, model: 'svc-transcribe-1.0', maxFileSize: 0 })).toThrow('maxFileSize')
})

test('a body that something has read without its bytes is a server error', async () => {
  upstream = await createTestUpstream({ apiKey: KEY })
  app = await startApp(upstream.url, (routes, client) => {
    const read: RequestHandler = (request, _response, next) => void request.resume().once('end', () => next())
    routes.post('/', read, transcribeUpload({ client, model: 'svc-transcribe-1.0' }))
  })
  const response = await post(app.url, uploadForm(wavFile(100)))
  expect(response).toMatchObject({ status: 500, body: error('body_already_read') })
  expect(JSON.stringify(response.body)).not.toContain('parser')
})

test('errors of other libraries go to the next error middleware', async () => {
  upstream = await createTestUpstream({ apiKey: KEY })
  app = await startApp(upstream.url, (routes) => {
    routes.get('/', () => {
      throw Object.assign(new Error('teapot'), { status: 418 })
    })
  })
  const response = await fetch(app.url)
  expect(response.status).toBe(418)
  expect(app.reported).toEqual([])
})
