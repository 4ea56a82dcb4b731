import { readdir } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { EngineUnavailableError } from '../src/ports/engines.ts'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { namesIn } from './support/fake-services.ts'
import { sendRaw } from './support/connections.ts'
import { errorOf } from './support/test-service.ts'

const PATH = '/v1/audio/transcriptions'
const PLAIN = { model: 'svc-transcribe-1.0' }
const SPEAKERS = { model: 'svc-transcribe-diarize-pro' }
const UNAVAILABLE = { status: 503, code: 'engine_unavailable', param: null }

let app: FakeApp
const sockets: Socket[] = []
beforeEach(async () => {
  app = await startFakeApp()
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await app.close()
})

/** From now on this engine does not work. */
function lose(...names: ('recognition' | 'diarization')[]): void {
  for (const name of names) app.services.engines.states[name].up = false
  vi.spyOn(app.services.engines.recognition, 'recognize').mockRejectedValue(
    new EngineUnavailableError('recognition', 4),
  )
}

const part = (name: string, value: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

const FILE_BEGUN = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nthe first of many'

/** Sends fields, then the start of a long file, and nothing more. */
function begin(fields: Record<string, string>): Socket {
  const headers = { ...app.first, 'content-type': 'multipart/form-data; boundary=b', 'content-length': '900000' }
  const texts = Object.entries(fields).map(([name, value]) => part(name, value))
  const socket = sendRaw(app.url, { path: PATH, headers, body: `${texts.join('')}${FILE_BEGUN}` })
  sockets.push(socket)
  return socket
}

/** The response while the file is still arriving. */
async function answerTo(fields: Record<string, string>): Promise<string> {
  let received = ''
  for await (const data of begin(fields)) {
    received += String(data)
    if (/\r\n\r\n\{.*\}$/.test(received)) break
  }
  return received
}

/** Files of uploads. A request refused before its file has none. */
const received = (): Promise<string[]> => readdir(app.services.objects.uploadFolder, { recursive: true })
const A_FILE: unknown = expect.arrayContaining([expect.stringMatching(/^upload-.*\/file$/)])
const PATIENCE = { timeout: 10_000 }

function form(...fields: readonly (readonly [name: string, value: string])[]): FormData {
  const data = new FormData()
  for (const [name, value] of fields) data.append(name, name === 'file' ? new Blob([value]) : value)
  return data
}

describe('a transcription without a working engine is refused before its file is read', () => {
  test.each([
    ['without the recognizer', 'recognition', PLAIN],
    ['with speakers, without the recognizer', 'recognition', SPEAKERS],
    ['with speakers, without the one who tells them apart', 'diarization', SPEAKERS],
    ['as a stream', 'recognition', { ...SPEAKERS, stream: 'true' }],
    ['that says that it is no task', 'recognition', { ...PLAIN, async: 'false' }],
  ] as const)('%s', async (_what, engine, fields) => {
    lose(engine)
    const response = await answerTo(fields)
    expect(response).toMatch(/^HTTP\/1\.1 503 .*"code":"engine_unavailable"/s)
    expect(response).toMatch(/^retry-after: 4\r$/m)
    expect(await received()).toEqual([])
  })
})

describe('a transcription reads its file', () => {
  test.each([
    ['when the engine that is missing is none that it needs', ['diarization'], PLAIN],
    ['when its model tells speakers apart, but it wants none', ['diarization'], { ...SPEAKERS, diarize: 'false' }],
    ['when it is a task', ['recognition', 'diarization'], { ...SPEAKERS, async: 'true' }],
    ['when the engines work', [], SPEAKERS],
  ] as const)('%s', async (_what, engines, fields) => {
    lose(...engines)
    begin(fields)
    await expect.poll(received, PATIENCE).toEqual(A_FILE)
  })

  test('and stores it for a task, which waits for its engine', async () => {
    lose('recognition', 'diarization')
    const kept = await app.post(PATH, form(['model', SPEAKERS.model], ['async', 'true'], ['file', 'sound']))
    expect(await kept.json()).toMatchObject({ object: 'audio.transcription', status: 'PENDING' })
    expect(await namesIn(app.services.objects.inputs)).toHaveLength(1)
  })
})

describe('a field after the file takes effect at the end of the form', () => {
  test('a model: the request is refused, and nothing stays', async () => {
    lose('recognition')
    expect(await errorOf(await app.post(PATH, form(['file', 'sound'], ['model', PLAIN.model])))).toEqual(UNAVAILABLE)
    expect(await received()).toEqual([])
  })

  test('model and async: the task is stored', async () => {
    lose('recognition')
    const kept = await app.post(PATH, form(['file', 'sound'], ['model', PLAIN.model], ['async', 'true']))
    expect(await kept.json()).toMatchObject({ status: 'PENDING' })
  })

  test('async alone, after model and file, is too late', async () => {
    lose('recognition')
    const late = await app.post(PATH, form(['model', PLAIN.model], ['file', 'sound'], ['async', 'true']))
    expect(await errorOf(late)).toEqual(UNAVAILABLE)
  })
})

test.each([
  ['an unknown model', { model: 'svc-none' }, 404, 'model_not_found'],
  ['keyterms with the standard model', { ...PLAIN, keyterms: 'one' }, 400, 'unsupported_for_model'],
  ['two sources', { ...PLAIN, url: 'https://example.com/' }, 400, 'ambiguous_source'],
])('%s is refused even without an engine', async (_what, fields, status, code) => {
  lose('recognition')
  const response = await app.post(PATH, form(...Object.entries(fields), ['file', 'sound']))
  expect(await errorOf(response)).toMatchObject({ status, code })
})

test('a webhook with async after the file is valid', async () => {
  lose('recognition')
  const webhook = ['webhook_url', 'https://example.com/'] as const
  const kept = await app.post(PATH, form(['model', PLAIN.model], webhook, ['file', 'sound'], ['async', 'true']))
  expect(await kept.json()).toMatchObject({ status: 'PENDING' })
})
