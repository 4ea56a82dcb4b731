import { encodeWav } from '@svc-audio/core/audio'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { noSpeech } from '@svc-audio/kit/engine-fixtures/no-speech.ts'
import { joined, signal } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BOMBS } from './codec/bombs.ts'
import { SPOKEN } from './codec/spoken.ts'
import { errorOf, KEY, startTestService, type TestService } from './support/test-service.ts'
import { startWebServer, type WebServer } from './support/web-server.ts'

// What the checks of apps/conformance cannot see of real recognition: the effect of keyterms, files at URLs, hostile
// files, and the folder.
type Json = Record<string, unknown>

const PATH = '/v1/audio/transcriptions'
const model = 'svc-transcribe-1.0'
const SPEAKERS = 'svc-transcribe-diarize-pro'
const TEXT = 'You can change your password on the next page.'
/** The recognized text of the sentence, identical for every format. */
const HEARD = TEXT

let service: TestService
let web: WebServer
/** Speech with two invented names. */
let names: Uint8Array<ArrayBuffer>
/** What the web server has at `/file`. */
let served: Uint8Array
beforeAll(async () => {
  names = wav(await fliteSpeech('Please send the report of Quixtar to Okvanda.'))
  served = wav(await fliteSpeech(TEXT))
  web = await startWebServer((request, response) => {
    if (request.url === '/file') response.end(served)
    else if (request.url === '/moved') response.writeHead(302, { location: '/file' }).end()
    else if (request.url === '/inside') response.writeHead(302, { location: 'http://10.0.0.1/' }).end()
    else if (request.url === '/page') response.end('<!doctype html><title>404</title>'.repeat(50))
    else if (request.url === '/large') response.writeHead(200, { 'content-length': 600 * 1024 * 1024 }).write('x')
    else response.writeHead(404).end()
  })
  service = await startTestService({ audioUrlAllow: ['127.0.0.1'] })
})
afterAll(async () => {
  web.close()
  await service.close()
})

function wav(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  return new Uint8Array(encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [bytes]))
}

function form(file: Uint8Array<ArrayBuffer> | string, ...fields: readonly (readonly [string, string])[]): FormData {
  const data = new FormData()
  for (const [name, value] of fields) data.append(name, value)
  data.append('file', new Blob([file]), 'misleading.txt')
  return data
}

async function textOf(body: object): Promise<string> {
  const response = await service.request('POST', PATH, body)
  expect(response.status).toBe(200)
  return ((await response.json()) as { text: string }).text
}

async function taskOf(id: unknown): Promise<Json> {
  return (await (await service.request('GET', `/v1/audio/tasks/${String(id)}`)).json()) as Json
}

async function ended(id: unknown): Promise<Json> {
  await expect.poll(async () => (await taskOf(id))['status']).toMatch(/SUCCESS|FAILED/)
  return taskOf(id)
}

async function nothingLeft(): Promise<void> {
  await expect.poll(async () => [...(await service.list('uploads')), ...(await service.list('inputs'))]).toEqual([])
}

describe('keyterms', () => {
  const both = 'Please send the report of Quixtar to Okvanda.'
  const withTerms = (...fields: readonly (readonly [string, string])[]): FormData =>
    form(names, ['model', SPEAKERS], ...fields)

  test('without them, invented names are not recognized', async () => {
    expect(await textOf(withTerms())).not.toMatch(/okvanda|quixtar/i)
  })

  test.each([
    ['repeated fields', () => withTerms(['keyterms', 'Okvanda'], ['keyterms', 'Quixtar'])],
    ['fields with brackets', () => withTerms(['keyterms[]', 'Okvanda'], ['keyterms[]', 'Quixtar'])],
    ['one JSON array', () => withTerms(['keyterms', ' ["Okvanda", "Quixtar", " ", "Okvanda"]'])],
  ])('a form may send them as %s', async (_spelling, data) => {
    expect(await textOf(data())).toBe(both)
  })

  test('a single field is an array of one', async () => {
    const text = await textOf(withTerms(['keyterms', 'Okvanda']))
    expect(text).toContain('Okvanda')
    expect(text).not.toContain('Quixtar')
  })

  test('they apply to a stored file, in a task and in a stream', async () => {
    const { id } = await service.audio.files.create({ file: { data: names, name: 'a.wav' } })
    const source = { model: SPEAKERS, file_id: id, keyterms: ['Okvanda', 'Quixtar'] } as const
    expect(await textOf(source)).toBe(both)
    const task = await service.audio.transcriptions.createTask(source)
    expect(await task.wait({ pollInterval: 50 })).toMatchObject({ status: 'SUCCESS', text: both })
    const stream = await service.audio.transcriptions.stream(source)
    expect(await stream.text()).toBe(both)
  })

  test('they do not affect other requests, concurrent or later', async () => {
    const plain = await textOf(withTerms())
    const [with_, without] = await Promise.all([textOf(withTerms(['keyterms', 'Okvanda'])), textOf(withTerms())])
    expect(with_).toContain('Okvanda')
    expect(without).toBe(plain)
    expect(await textOf(withTerms())).toBe(plain)
  })
})

describe('a file at a URL', () => {
  const sources: (() => Json)[] = [
    () => ({ url: `${web.url}/file` }),
    () => ({ audio_url: `${web.url}/moved` }),
    () => ({ url: `${web.url}/file`, audio_url: `${web.url}/file` }),
  ]
  // rules: transcription.audio-url
  test.each([model, SPEAKERS])('is transcribed by %s at once and as a task, through either field', async (id) => {
    for (const source of sources) {
      expect(wordErrorRate(TEXT, await textOf({ model: id, ...source() }))).toBeLessThanOrEqual(0.15)
      const created = await service.request('POST', PATH, { model: id, ...source(), async: true })
      const task = await ended(((await created.json()) as Json)['id'])
      expect(task['status']).toBe('SUCCESS')
      expect(wordErrorRate(TEXT, String(task['text']))).toBeLessThanOrEqual(0.15)
    }
    await nothingLeft()
  })

  test('is transcribed as a stream', async () => {
    const body = { model: SPEAKERS, stream: true, url: `${web.url}/file` }
    const events = await (await service.request('POST', PATH, body)).text()
    const { type, text } = JSON.parse(events.trimEnd().split('\n\n').at(-1)?.slice('data: '.length) ?? '') as Json
    expect(type).toBe('transcript.text.done')
    expect(wordErrorRate(TEXT, String(text))).toBeLessThanOrEqual(0.15)
    await nothingLeft()
  })

  const refused: [what: string, path: string, status: number, code: string][] = [
    ['a redirect to a private address', '/inside', 400, 'private_url'],
    ['a URL where nothing is', '/missing', 400, 'url_unreachable'],
    ['a file over 512 MB', '/large', 413, 'file_too_large'],
    ['a page', '/page', 415, 'undecodable_audio'],
  ]
  test.each(refused)('that is %s is refused, and fails a task', async (_what, path, status, code) => {
    const source = { model, url: `${web.url}${path}` }
    expect(await errorOf(await service.request('POST', PATH, source))).toEqual({ status, code, param: 'url' })
    const created = await service.request('POST', PATH, { ...source, async: true })
    const task = await ended(((await created.json()) as Json)['id'])
    expect(task).toMatchObject({ status: 'FAILED', error: { code } })
    await nothingLeft()
  })

  test("is forbidden on this machine's address without a list of hosts", async () => {
    const closed = await startTestService()
    const response = await closed.request('POST', PATH, { model, url: `${web.url}/file` })
    expect(await errorOf(response)).toEqual({ status: 400, code: 'private_url', param: 'url' })
    await closed.close()
  })
})

/** The recognized text of a file, by the way to send it beside an upload. */
const WAYS = {
  async file_id(data: Uint8Array<ArrayBuffer>) {
    const { id } = await service.audio.files.create({ file: { data, name: 'recording' } })
    return textOf({ model, file_id: id })
  },
  async url(data: Uint8Array<ArrayBuffer>) {
    served = data
    return textOf({ model, url: `${web.url}/file` })
  },
  async task(data: Uint8Array<ArrayBuffer>) {
    const task = await service.audio.transcriptions.createTask({ model, file: { data, name: 'recording' } })
    return String((await task.wait({ pollInterval: 50 }))['text'])
  },
} satisfies Record<string, (data: Uint8Array<ArrayBuffer>) => Promise<string>>

/** Formats whose readers jump within the file. */
const SEEKING = /^(WAV|MP4|MOV|M4A)$/

describe('a format that is read by jumps', { timeout: 120_000 }, () => {
  const sent = SPOKEN.filter(({ name }) => SEEKING.test(name)).flatMap(({ name, make }) =>
    Object.entries(WAYS).map(([way, text]) => ({ name, make, way, text })),
  )
  test.each(sent)('$name as $way gives the text of the sentence', async ({ make, text }) => {
    expect(await text(new Uint8Array(await make()))).toBe(HEARD)
  })
})

describe('a hostile file', () => {
  test('is 415 however it is sent, and the service works on', async () => {
    const playlist = `#EXTM3U\n#EXTINF:1,\nfile://${service.dataDir}/service.sqlite\n${web.url}/other\n`
    served = Buffer.from(playlist)
    const stored = await service.audio.files.create({ file: { data: served, name: 'a.m3u8' } })
    for (const body of [
      form(playlist, ['model', model]),
      { model, file_id: stored.id },
      { model, url: `${web.url}/file` },
    ]) {
      const response = await service.request('POST', PATH, body)
      expect(response.status).toBe(415)
      expect(await response.text()).not.toContain(service.dataDir)
    }
    expect(web.requests.filter(({ url }) => url === '/other')).toEqual([])
    expect((await service.request('GET', '/v1/models')).status).toBe(200)
  })

  test.each(BOMBS.filter(({ size }) => size === undefined))(
    '$name is refused or has no words, and the service works on',
    { timeout: 120_000 },
    async ({ make }) => {
      const response = await service.request('POST', PATH, form(new Uint8Array(make()), ['model', model]))
      expect([200, 415]).toContain(response.status)
      expect(await response.json()).toMatchObject(response.status === 200 ? { text: '' } : { error: { param: 'file' } })
      await nothingLeft()
      expect((await service.request('GET', '/v1/models')).status).toBe(200)
    },
  )
})

describe('sound without speech has no text', { timeout: 60_000 }, () => {
  test.each(noSpeech())('$name, also with keyterms', async ({ value }) => {
    const { transcriptions } = service.audio
    const file = { data: wav(signal(5, value)), name: 'recording.wav' }
    expect(await transcriptions.create({ model, file })).toEqual({ text: '' })
    const keyterms = ['Zorblax', 'Norvik', 'New York', 'Okvanda Brimholt']
    const nothing = { task: 'transcribe', duration: 5, text: '', segments: [] }
    expect(await transcriptions.create({ model: SPEAKERS, file, keyterms })).toEqual(nothing)
  })
})

describe('a disconnect leaves nothing', () => {
  test('during an upload', async () => {
    const controller = new AbortController()
    async function* endless() {
      for (let count = 0; ; count += 1) {
        if (count === 100) controller.abort(new Error('enough'))
        yield new Uint8Array(1024)
      }
    }
    const sending = service.audio.transcriptions.create({ model, file: endless }, { signal: controller.signal })
    await expect(sending).rejects.toThrow('enough')
    await nothingLeft()
  })

  test('of a stream, and fails its task', async () => {
    const long = wav(
      joined(
        Array.from({ length: 12 }, () => new Int16Array(names.buffer, 44)),
        1,
      ),
    )
    const stream = await service.audio.transcriptions.stream({ model: SPEAKERS, file: { data: long, name: 'a.wav' } })
    for await (const event of stream) {
      expect(event).toBeDefined()
      break
    }
    await expect.poll(async () => (await taskOf(stream.taskId))['status']).toBe('FAILED')
    expect(await taskOf(stream.taskId)).toMatchObject({ error: { code: 'client_disconnected' } })
    await nothingLeft()
  })
})

test('a stream of bytes without audio is 415 before the first event, or ends with an error event', async () => {
  const response = await fetch(`${service.url}${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: form('Once upon a time '.repeat(99), ['model', SPEAKERS], ['stream', 'true']),
  })
  const text = await response.text()
  // A slow machine needs more than two seconds for the format, and has begun to answer.
  expect([200, 415]).toContain(response.status)
  expect(text).toContain(response.status === 200 ? '"type":"error"' : '"undecodable_audio"')
})
