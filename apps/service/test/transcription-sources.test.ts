import { setTimeout as sleep } from 'node:timers/promises'
import { encodeWav } from '@svc-audio/core/audio'
import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { errorOf, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'
import { startWebServer, type WebServer } from './support/web-server.ts'

const TEXT = 'You can change your password on the next page.'
const PATH = '/v1/audio/transcriptions'
const MODELS = ['svc-transcribe-1.0', 'svc-transcribe-diarize-pro']
const model = 'svc-transcribe-1.0'

type Json = Record<string, unknown>

let service: TestService
let web: WebServer
let wav: Uint8Array<ArrayBuffer>
let fileId: string
beforeAll(async () => {
  const samples = await fliteSpeech(TEXT)
  const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
  wav = new Uint8Array(encodeWav(format, [new Uint8Array(samples.buffer)]))
  web = await startWebServer((request, response) => {
    if (request.url === '/speech.wav') response.end(wav)
    else if (request.url === '/moved') response.writeHead(302, { location: '/speech.wav' }).end()
    else if (request.url === '/inside') response.writeHead(302, { location: 'http://10.0.0.1/' }).end()
    else if (request.url === '/page') response.end('<!doctype html><title>404</title>'.repeat(50))
    else if (request.url === '/large') response.writeHead(200, { 'content-length': 600 * 1024 * 1024 }).write('x')
    else response.writeHead(404).end()
  })
  service = await startTestService({ audioUrlAllow: ['127.0.0.1'] })
  fileId = (await service.audio.files.create({ file: { data: wav, name: 'a.wav' }, purpose: 'audio' })).id
})
afterAll(async () => {
  web.close()
  await service.close()
})

async function json(response: Response): Promise<Json> {
  expect(response.status).toBe(200)
  return (await response.json()) as Json
}

async function ended(id: unknown): Promise<Json> {
  for (;;) {
    const task = await json(await service.request('GET', `/v1/audio/tasks/${String(id)}`))
    if (task['status'] === 'SUCCESS' || task['status'] === 'FAILED') return task
    await sleep(20)
  }
}

async function nothingLeft(): Promise<void> {
  await expect.poll(() => service.list('uploads')).toEqual([])
  await expect.poll(() => service.list('inputs')).toEqual([])
}

/** Share of wrong words. */
function errorsOf(text: unknown): number {
  return wordErrorRate(TEXT, String(text))
}

describe.each(MODELS)('%s', (id) => {
  // rules: transcription.file-id, transcription.audio-url, file.id-use, transcription.body
  test.each([
    ['a stored file', () => ({ file_id: fileId })],
    ['a url', () => ({ url: `${web.url}/speech.wav` })],
    ['an audio_url that redirects', () => ({ audio_url: `${web.url}/moved` })],
    ['both URL fields with one value', () => ({ url: `${web.url}/speech.wav`, audio_url: `${web.url}/speech.wav` })],
  ])('%s is transcribed synchronously and as a task', async (_name, source) => {
    const { text } = await json(await service.request('POST', PATH, { model: id, ...source() }))
    expect(errorsOf(text)).toBeLessThanOrEqual(0.15)
    const created = await json(await service.request('POST', PATH, { model: id, ...source(), async: true }))
    expect(created).toMatchObject({ object: 'audio.transcription', status: 'PENDING' })
    const task = await ended(created['id'])
    expect(task['status']).toBe('SUCCESS')
    expect(errorsOf(task['text'])).toBeLessThanOrEqual(0.15)
    await nothingLeft()
  })
})

test('a form may name a source', async () => {
  const form = new FormData()
  form.append('model', model)
  form.append('file_id', fileId)
  const { text } = await json(await service.request('POST', PATH, form))
  expect(errorsOf(text)).toBeLessThanOrEqual(0.15)
})

test('a source may be streamed', async () => {
  for (const source of [{ file_id: fileId }, { url: `${web.url}/speech.wav` }]) {
    const body = { model: 'svc-transcribe-diarize-pro', stream: true, ...source }
    const events = await (await service.request('POST', PATH, body)).text()
    const last = events.trimEnd().split('\n\n').at(-1)?.slice('data: '.length) ?? ''
    const { type, text } = JSON.parse(last) as Json
    expect(type).toBe('transcript.text.done')
    expect(errorsOf(text)).toBeLessThanOrEqual(0.15)
    await nothingLeft()
  }
})

describe('interface: one source', () => {
  const rows: [rule: string, source: () => Json, status: number, code: string, param: string][] = [
    ['none', () => ({}), 400, 'missing_required_field', 'file'],
    ['two', () => ({ file_id: fileId, url: `${web.url}/speech.wav` }), 400, 'ambiguous_source', 'url'],
    [
      'two URLs',
      () => ({ url: `${web.url}/speech.wav`, audio_url: `${web.url}/moved` }),
      400,
      'ambiguous_source',
      'audio_url',
    ],
    ['an unknown file', () => ({ file_id: 'file_0' }), 404, 'file_not_found', 'file_id'],
    ['a relative URL', () => ({ url: 'speech.wav' }), 400, 'invalid_url', 'url'],
    ['a file of this machine', () => ({ url: 'file:///etc/passwd' }), 400, 'invalid_url', 'url'],
    // rules: transcription.url-public
    ['this machine', () => ({ audio_url: 'http://localhost/' }), 400, 'private_url', 'audio_url'],
    ['a private address', () => ({ url: 'http://10.0.0.1/' }), 400, 'private_url', 'url'],
  ]
  test.each(rows)('%s is refused before any work, also for a task', async (_rule, source, status, code, param) => {
    const before = service.countTasks()
    for (const more of [{}, { async: true }]) {
      const response = await service.request('POST', PATH, { model, ...source(), ...more })
      expect(await errorOf(response)).toEqual({ status, code, param })
    }
    expect(service.countTasks()).toBe(before)
  })

  const late: [rule: string, path: string, status: number, code: string][] = [
    ['a redirect to a private address', '/inside', 400, 'private_url'],
    ['a URL where nothing is', '/missing', 400, 'url_unreachable'],
    ['a file over 512 MB', '/large', 413, 'file_too_large'],
    ['a page', '/page', 415, 'undecodable_audio'],
  ]
  test.each(late)('%s is refused, and fails a task', async (_rule, path, status, code) => {
    const source = { model, url: `${web.url}${path}` }
    expect(await errorOf(await service.request('POST', PATH, source))).toEqual({ status, code, param: 'url' })
    const { id } = await json(await service.request('POST', PATH, { ...source, async: true }))
    expect(await ended(id)).toMatchObject({ status: 'FAILED', error: { code } })
    await nothingLeft()
  })

  test("without a list, even this machine's address is forbidden", async () => {
    const closed = await startTestService()
    try {
      const response = await closed.request('POST', PATH, { model, url: `${web.url}/speech.wav` })
      expect(await errorOf(response)).toEqual({ status: 400, code: 'private_url', param: 'url' })
    } finally {
      await closed.close()
    }
  })
})

describe('a stored file', () => {
  test('is invisible to other tenants', async () => {
    const headers = { authorization: `Bearer ${OTHER_KEY}` }
    const response = await service.request('POST', PATH, { model, file_id: fileId }, headers)
    expect(await errorOf(response)).toEqual({ status: 404, code: 'file_not_found', param: 'file_id' })
  })

  // rules: states.failed
  test('deleted before its task starts, fails the task', async () => {
    const own = await startTestService({ tasksAtOnce: 1 })
    try {
      const { id } = await own.audio.files.create({ file: { data: wav, name: 'a.wav' } })
      const tasks: string[] = []
      for (let count = 0; count < 4; count += 1) {
        tasks.push((await own.audio.transcriptions.createTask({ model, file_id: id })).id)
      }
      await own.audio.files.delete(id)
      const last = await own.audio.tasks.wait(tasks.at(-1) ?? '', { pollInterval: 50 }).catch((error: unknown) => error)
      expect(last).toMatchObject({ task: { status: 'FAILED', error: { code: 'file_not_found' } } })
      expect(await own.list('files')).toEqual([])
    } finally {
      await own.close()
    }
  })

  test("without audio is a 415 with the field's name", async () => {
    const { id } = await service.audio.files.create({ file: { data: Buffer.from('text '.repeat(99)), name: 'a.wav' } })
    const response = await service.request('POST', PATH, { model, file_id: id })
    expect(await errorOf(response)).toEqual({ status: 415, code: 'undecodable_audio', param: 'file_id' })
  })

  test('stays after a transcription', async () => {
    expect((await service.audio.files.retrieve(fileId)).bytes).toBe(wav.byteLength)
  })
})

test('with the same Idempotency-Key returns the same task; another source is a 409', async () => {
  const send = (source: Json): Promise<Response> =>
    service.request('POST', PATH, { model, ...source, async: true }, { 'idempotency-key': 'named' })
  const first = await json(await send({ file_id: fileId }))
  expect((await json(await send({ file_id: fileId })))['id']).toBe(first['id'])
  expect((await send({ url: `${web.url}/speech.wav` })).status).toBe(409)
})
