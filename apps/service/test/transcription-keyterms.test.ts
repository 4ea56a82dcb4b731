import { encodeWav } from '@svc-audio/core/audio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { startTestService, type TestService } from './support/test-service.ts'

const PATH = '/v1/audio/transcriptions'
const model = 'svc-transcribe-diarize-pro'

let service: TestService
let wav: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  service = await startTestService()
  const samples = await fliteSpeech('Please send the report of Quixtar to Zorblax.')
  const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
  wav = new Uint8Array(encodeWav(format, [new Uint8Array(samples.buffer)]))
})
afterAll(() => service.close())

function form(...fields: readonly (readonly [name: string, value: string])[]): FormData {
  const data = new FormData()
  data.append('model', model)
  for (const [name, value] of fields) data.append(name, value)
  data.append('file', new Blob([wav]), 'a.wav')
  return data
}

async function textOf(body: object): Promise<string> {
  const response = await service.request('POST', PATH, body)
  expect(response.status).toBe(200)
  return ((await response.json()) as { text: string }).text
}

// rules: transcription.keyterms
describe('interface: keyterms', () => {
  const both = 'please send the report of Quixtar to Zorblax'

  test('without keyterms, invented names are not recognized', async () => {
    expect(await textOf(form())).not.toMatch(/zorblax|quixtar/i)
  })

  test.each([
    ['repeated fields', () => form(['keyterms', 'Zorblax'], ['keyterms', 'Quixtar'])],
    ['fields with brackets', () => form(['keyterms[]', 'Zorblax'], ['keyterms[]', 'Quixtar'])],
    ['one JSON array', () => form(['keyterms', ' ["Zorblax", "Quixtar", " ", "Zorblax"]'])],
  ])('a form may send them as %s', async (_spelling, data) => {
    expect(await textOf(data())).toBe(both)
  })

  test('a single field is an array of one', async () => {
    const text = await textOf(form(['keyterms', 'Zorblax']))
    expect(text).toContain('Zorblax')
    expect(text).not.toContain('Quixtar')
  })

  test('they apply to a stored file, in a task and in a stream', async () => {
    const { id } = await service.audio.files.create({ file: { data: wav, name: 'a.wav' } })
    const source = { model, file_id: id, keyterms: ['Zorblax', 'Quixtar'] } as const
    expect(await textOf(source)).toBe(both)
    const task = await service.audio.transcriptions.createTask(source)
    expect(await task.wait({ pollInterval: 50 })).toMatchObject({ status: 'SUCCESS', text: both })
    const stream = await service.audio.transcriptions.stream(source)
    expect(await stream.text()).toBe(both)
  })

  test('they do not affect other requests, concurrent or later', async () => {
    const plain = await textOf(form())
    const [with_, without] = await Promise.all([textOf(form(['keyterms', 'Zorblax'])), textOf(form())])
    expect(with_).toContain('Zorblax')
    expect(without).toBe(plain)
    expect(await textOf(form())).toBe(plain)
  })
})
