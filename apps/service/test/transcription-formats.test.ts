import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BOMBS } from './codec/bombs.ts'
import { SPOKEN } from './codec/spoken.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'
import { startWebServer, type WebServer } from './support/web-server.ts'

/** The recognized text of the sentence, identical for every format. */
const TEXT = 'you can change your password on the next page'

let service: TestService
let web: WebServer
let served: Uint8Array
beforeAll(async () => {
  web = await startWebServer((_request, response) => response.end(served))
  service = await startTestService({ audioUrlAllow: ['127.0.0.1'] })
})
afterAll(async () => {
  web.close()
  await service.close()
})

async function post(body: object): Promise<string> {
  const response = await service.request('POST', '/v1/audio/transcriptions', body)
  expect(response.status).toBe(200)
  return ((await response.json()) as { text: string }).text
}

const MODEL = 'svc-transcribe-1.0'

/** The recognized text of a file, by the way to send it. */
const WAYS = {
  async upload(data: Buffer) {
    const form = new FormData()
    form.append('model', MODEL)
    form.append('file', new Blob([new Uint8Array(data)]), 'misleading.txt')
    return post(form)
  },
  async file_id(data: Buffer) {
    const { id } = await service.audio.files.create({ file: { data, name: 'recording' } })
    return post({ model: MODEL, file_id: id })
  },
  async url(data: Buffer) {
    served = data
    return post({ model: MODEL, url: `${web.url}/file` })
  },
  async async(data: Buffer) {
    const task = await service.audio.transcriptions.createTask({ model: MODEL, file: { data, name: 'recording' } })
    const { text } = (await task.wait({ pollInterval: 50 })) as { text?: string }
    return text
  },
} satisfies Record<string, (data: Buffer) => Promise<string | undefined>>

/** Formats whose readers jump within the file. They are sent in every way, each of the others in one. */
const SEEKING = /^(WAV|MP4|MOV|M4A)$/

// rules: transcription.formats, transcription.containers
describe('interface: supported formats', { timeout: 120_000 }, () => {
  const ways = Object.entries(WAYS)
  const sent = SPOKEN.flatMap(({ name, make }, index) =>
    ways
      .filter((_, n) => SEEKING.test(name) || n === index % ways.length)
      .map(([way, text]) => ({ name, make, way, text })),
  )
  test.each(sent)('$name as $way gives the text of the sentence', async ({ make, text }) => {
    expect(await text(await make())).toBe(TEXT)
  })
})

test('a hostile file is 415 however it is sent, and the service works on', async () => {
  const playlist = `#EXTM3U\n#EXTINF:1,\nfile://${service.dataDir}/service.sqlite\n${web.url}/other\n`
  served = Buffer.from(playlist)
  const stored = await service.audio.files.create({ file: { data: served, name: 'a.m3u8' } })
  const form = new FormData()
  form.append('model', 'svc-transcribe-1.0')
  form.append('file', new Blob([playlist]), 'a.m3u8')
  const model = 'svc-transcribe-1.0'
  for (const body of [form, { model, file_id: stored.id }, { model, url: `${web.url}/list.m3u8` }]) {
    const response = await service.request('POST', '/v1/audio/transcriptions', body)
    expect(response.status).toBe(415)
    expect(await response.text()).not.toContain(service.dataDir)
  }
  expect(web.requests.filter(({ url }) => url === '/other')).toEqual([])
  const models = await fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer ${KEY}` } })
  expect(models.status).toBe(200)
})

test.each(BOMBS.filter(({ size }) => size === undefined))(
  '$name is refused or has no words, and the service works on',
  { timeout: 120_000 },
  async ({ make }) => {
    const form = new FormData()
    form.append('model', 'svc-transcribe-1.0')
    form.append('file', new Blob([new Uint8Array(make())]), 'a.wav')
    const response = await service.request('POST', '/v1/audio/transcriptions', form)
    expect([200, 415]).toContain(response.status)
    expect(await response.json()).toMatchObject(response.status === 200 ? { text: '' } : { error: { param: 'file' } })
    expect(await service.list('inputs')).toEqual([])
    const models = await fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer ${KEY}` } })
    expect(models.status).toBe(200)
  },
)
