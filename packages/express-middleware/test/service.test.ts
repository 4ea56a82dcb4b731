import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { type RunningService, startService } from '@svc-audio/service'
import { uploadForm, wavFile, wordErrorRate } from '@svc-audio/testing'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playResult, speak, transcribeUpload } from '../src/index.ts'
import { KEY, startApp, type TestApp } from './support/app.ts'

const SENTENCE = 'The quick brown fox jumps over the lazy dog.'

let folder = ''
let service: RunningService
let app: TestApp
let stranger: AudioClient

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-express-'))
  service = await startService({
    dataDir: folder,
    port: 0,
    apiKeys: new Map([[KEY, 'tenant']]),
    logLevel: 'silent',
    maxInputCharacters: 1000,
  })
  stranger = new AudioClient({ apiKey: 'sk-sekret-deleted', baseUrl: service.url })
  app = await startApp(service.url, (routes, client) => {
    const model = 'svc-transcribe-1.0'
    routes.use(express.json())
    routes.post('/transcribe', transcribeUpload({ client, model, maxFileSize: 2_000_000 }), (request, response) => {
      response.json(request.transcription)
    })
    routes.post('/stranger/transcribe', transcribeUpload({ client: stranger, model }))
    routes.post('/stranger/speak', speak({ client: stranger, voice_id: 'rms' }))
    routes.post('/speak/:format', (request, response, next) =>
      speak({ client, voice_id: 'rms', response_format: request.params.format })(request, response, next),
    )
    routes.post('/nobody', speak({ client, voice_id: 'nobody' }))
    routes.post('/live', transcribeUpload({ client, respond: 'sse' }))
    routes.post('/tasks', speak({ client, voice_id: 'rms', response_format: 'wav', respond: 'task' }))
    routes.get('/audio/:id', playResult({ client }))
  })
})

afterAll(async () => {
  await app.close()
  await stranger.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

function say(path: string, text: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(app.url + path, { method: 'POST', headers, body: JSON.stringify({ text }) })
}

async function transcribe(data: FormData, path = '/transcribe'): Promise<{ status: number; body: unknown }> {
  const response = await fetch(app.url + path, { method: 'POST', body: data })
  const body: unknown = await response.json()
  return { status: response.status, body }
}

const error = (code: string) => ({ error: { code } })

test('speech from the app is transcribed by the app', async () => {
  const spoken = await say('/speak/wav', SENTENCE)
  expect(spoken.headers.get('content-type')).toBe('audio/wav')
  const { status, body } = await transcribe(uploadForm(new Uint8Array(await spoken.arrayBuffer())))
  expect(status).toBe(200)
  expect(wordErrorRate(SENTENCE, (body as { text: string }).text)).toBeLessThanOrEqual(0.15)
})

test.each([
  ['mp3', 'audio/mpeg'],
  ['opus', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['aac', 'audio/aac'],
])('%s is synthesized as %s, and the result is accepted as an upload', async (format, type) => {
  const spoken = await say(`/speak/${format}`, SENTENCE)
  expect(spoken.headers.get('content-type')).toBe(type)
  const audio = new Uint8Array(await spoken.arrayBuffer())
  expect(audio.byteLength).toBeGreaterThan(5000)
  expect(await transcribe(uploadForm(audio, { name: 'speech', type: 'application/octet-stream' }))).toEqual({
    status: 200,
    body: { text: expect.stringMatching(/\w+ \w+/) as string },
  })
})

describe('refusals', () => {
  test('undecodable audio is 415 with a safe message', async () => {
    const broken = Buffer.concat([wavFile(0).subarray(0, 12), Buffer.alloc(5000, 'not a chunk ')])
    expect(await transcribe(uploadForm(broken))).toMatchObject({ status: 415, body: error('undecodable_audio') })
  })

  test.each([
    ['a file too large', 413, 'file_too_large', () => uploadForm(wavFile(2_000_000))],
    ['no file', 400, 'missing_file', () => new FormData()],
    ['other content', 415, 'unsupported_content', () => uploadForm(Buffer.from('%PDF-1.7'))],
  ])('%s is %i', async (_what, status, code, data) => {
    expect(await transcribe(data())).toMatchObject({ status, body: error(code) })
  })

  test('a key that the service refuses is a 502 on both routes, and never appears', async () => {
    const responses = [await transcribe(uploadForm(wavFile(1000)), '/stranger/transcribe')]
    const spoken = await say('/stranger/speak', SENTENCE)
    responses.push({ status: spoken.status, body: await spoken.json() })
    for (const response of responses) {
      expect(response).toMatchObject({ status: 502, body: error('audio_service_unavailable') })
      expect(JSON.stringify(response)).not.toMatch(/sekret|key/i)
    }
    expect(app.reported.slice(-2)).toMatchObject([
      { error: { cause: { status: 401 } } },
      { error: { cause: { status: 401 } } },
    ])
    expect(JSON.stringify(app.reported) + app.reported.map(({ error: one }) => String(one)).join('')).not.toContain(
      'sekret',
    )
  })

  test('an unknown voice of the app is a 502, a text too long a 400', async () => {
    expect((await say('/nobody', SENTENCE)).status).toBe(502)
    expect((await say('/speak/wav', 'word '.repeat(300))).status).toBe(400)
  })
})

test('the first delta arrives before recognition ends', async () => {
  const spoken = await say('/speak/wav', `${SENTENCE} `.repeat(6))
  const body = uploadForm(new Uint8Array(await spoken.arrayBuffer()))
  const response = await fetch(`${app.url}/live`, { method: 'POST', body })
  const types: string[] = []
  for await (const chunk of response.body ?? []) {
    for (const [, type] of Buffer.from(chunk)
      .toString()
      .matchAll(/"type":"([\w.]+)"/g))
      types.push(type ?? '')
    // The event arrives in a separate read: the service has sent it before it knew the rest.
    if (types.includes('transcript.text.delta')) break
  }
  expect(types).not.toContain('transcript.text.done')
})

test('the audio of a task can be played from any position', async () => {
  const created = await say('/tasks', SENTENCE)
  expect(created.status).toBe(202)
  const { task_id: id } = (await created.json()) as { task_id: string }
  await app.client.tasks.wait(id)
  const url = `${app.url}/audio/${id}`
  const whole = await fetch(url)
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'audio/wav',
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-transform',
  })
  const audio = Buffer.from(await whole.arrayBuffer())
  const part = await fetch(url, { headers: { range: 'bytes=100-199' } })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${audio.byteLength}`])
  expect(Buffer.from(await part.arrayBuffer())).toEqual(audio.subarray(100, 200))
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(audio.byteLength)])
  expect((await fetch(url, { headers: { range: `bytes=${audio.byteLength * 2}-` } })).status).toBe(416)
})
