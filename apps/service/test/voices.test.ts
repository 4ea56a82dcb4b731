import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient, type Voice } from '@svc-audio/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService } from '../src/index.ts'
import { KEY, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'
import { buzz, PASSAGE, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { measured } from './support/measured.ts'

let service: TestService
let other: AudioClient
beforeAll(async () => {
  service = await startTestService()
  other = new AudioClient({ apiKey: OTHER_KEY, baseUrl: service.url })
})
afterAll(async () => {
  await other.close()
  await service.close()
})

const SAMPLE = buzz(140, 3, 4)

function form(fields: Record<string, string | Blob>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  return data
}
const create = (fields: Record<string, string | Blob>): Promise<Response> =>
  service.request('POST', '/v1/audio/voices', form(fields))

async function speech(voice_id: string, response_format: string, voice = 'svc-tts-1.0-pro'): Promise<Uint8Array> {
  return (await service.audio.speech.create({ model: voice, input: PASSAGE, voice_id, response_format })).bytes()
}

describe('interface: create voice', () => {
  // rules: voice-creation.answer, voice-creation.texts, voice-creation.sample, voice.fields, voice.no-urls
  test('returns the voice and nothing else', async () => {
    const response = await create({ audio_sample: wavOf(SAMPLE), name: 'Ägidius', description: 'hums' })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^voice_[\da-f]{32}$/),
      object: 'audio.voice',
      name: 'Ägidius',
      created_at: expect.any(Number),
    })
  })

  test('a built-in voice has the day on which its engine was published', async () => {
    const { data } = await service.audio.voices.list()
    const builtIn = data.find(({ id }) => id === 'rms')
    expect(builtIn).toMatchObject({ created_at: Date.UTC(2024, 11, 13) / 1000 })
  })

  // rules: voice.name-empty, voice-creation.texts
  test('a missing name is the empty string', async () => {
    expect(await service.audio.voices.create({ audio_sample: wavOf(SAMPLE) })).toMatchObject({ name: '' })
  })

  test('nothing remains of the sample', async () => {
    await service.audio.voices.create({ audio_sample: wavOf(SAMPLE) })
    expect(await service.list('uploads')).toEqual([])
  })

  test.each(['mp3', 'wav', 'opus', 'flac', 'aac'])('a sample as %s makes a voice of its pitch', async (format) => {
    const sample = new Blob([Buffer.from(await speech('slt', format))])
    const { id } = await service.audio.voices.create({ audio_sample: sample })
    const [of, now] = [await measured(await speech('slt', 'pcm')), await measured(await speech(id, 'pcm'))]
    expect(Math.abs(now.pitchHz / of.pitchHz - 1)).toBeLessThan(0.1)
  })
})

describe('a custom voice', () => {
  let low: Voice
  let high: Voice
  beforeAll(async () => {
    low = await service.audio.voices.create({ audio_sample: wavOf(buzz(90, 3, 4)), name: 'Low' })
    high = await service.audio.voices.create({ audio_sample: wavOf(buzz(250, 3, 4)), name: 'High' })
  })

  // rules: voice.id-use
  test('speaks', async () => {
    expect((await measured(await speech(low.id, 'pcm'))).pitchHz).toBeCloseTo(90, -1)
    expect((await measured(await speech(high.id, 'pcm'))).pitchHz).toBeCloseTo(250, -1.4)
  })

  test('streams the same audio', async () => {
    const stream = await service.audio.speech.stream({
      model: 'svc-tts-1.5-flash',
      input: PASSAGE,
      voice_id: high.id,
      response_format: 'pcm',
      stream: true,
    })
    const chunks: Uint8Array[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(Buffer.compare(Buffer.concat(chunks), await speech(high.id, 'pcm', 'svc-tts-1.5-flash'))).toBe(0)
  })

  test('speaks in an asynchronous task', async () => {
    const request = { model: 'svc-tts-1.0-pro', input: PASSAGE, voice_id: low.id, response_format: 'pcm' } as const
    const handle = await service.audio.speech.createTask(request)
    const audio = await service.audio.download(await handle.wait())
    expect(Buffer.compare(await audio.bytes(), await speech(low.id, 'pcm'))).toBe(0)
  })

  // rules: voice.id-use
  test('speaks in a dialogue', async () => {
    const dialogue = await service.audio.dialogue.create({
      model: 'svc-ttsd-1.0',
      speakers: [
        { id: 'a', voice_id: low.id },
        { id: 'b', voice_id: 'rms' },
      ],
      segments: [{ speaker: 'a', text: PASSAGE }],
      response_format: 'pcm',
    })
    expect(Buffer.compare(await dialogue.bytes(), await speech(low.id, 'pcm'))).toBe(0)
  })

  test('is listed after the built-in ones, in order of creation', async () => {
    const { data } = await service.audio.voices.list({ limit: 150 })
    const ids = data.map(({ id }) => id)
    expect(ids.slice(0, 4)).toEqual(['rms', 'slt', 'awb', 'kal16'])
    expect(ids.slice(-2)).toEqual([low.id, high.id])
    expect(data.slice(-2)).toEqual([low, high])
  })

  // rules: auth.tenant-lists
  test('is invisible to other tenants', async () => {
    expect((await other.voices.list({ limit: 150 })).data.map(({ id }) => id)).not.toContain(low.id)
    await expect(other.voices.list({ after: low.id })).rejects.toMatchObject({ status: 400, code: 'invalid_cursor' })
    const refused = { status: 404, code: 'voice_not_found' }
    const request = { model: 'svc-tts-1.5-flash', input: 'Hello.', voice_id: low.id } as const
    await expect(other.speech.create(request)).rejects.toMatchObject({ ...refused, param: 'voice_id' })
    const stream = { ...request, stream: true, response_format: 'pcm' } as const
    await expect(other.speech.stream(stream)).rejects.toMatchObject({ ...refused, param: 'voice_id' })
    const dialogue = other.dialogue.create({
      model: 'svc-ttsd-1.0',
      speakers: [{ id: 'a', voice_id: low.id }],
      segments: [{ speaker: 'a', text: 'Hello.' }],
    })
    await expect(dialogue).rejects.toMatchObject({ ...refused, param: 'speakers[0].voice_id' })
  })

  // rules: voice-creation.no-retrieval
  test('has no detail endpoint', async () => {
    expect((await service.request('GET', `/v1/audio/voices/${low.id}`)).status).toBe(404)
  })
})

test('voices survive a restart', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-restart-'))
  const options = { dataDir, port: 0, apiKeys: new Map([[KEY, 'first']]), logLevel: 'silent' } as const
  const once = async <T>(work: (audio: AudioClient) => Promise<T>): Promise<T> => {
    const running = await startService(options)
    const audio = new AudioClient({ apiKey: KEY, baseUrl: running.url })
    try {
      return await work(audio)
    } finally {
      await audio.close()
      await running.close()
    }
  }
  const { id } = await once(async (audio) => audio.voices.create({ audio_sample: wavOf(SAMPLE) }))
  const request = { model: 'svc-tts-1.0-pro', input: PASSAGE, voice_id: id, response_format: 'pcm' } as const
  const pcm = await once(async (audio) => (await audio.speech.create(request)).bytes())
  expect((await measured(pcm)).pitchHz).toBeCloseTo(140, -1)
  await rm(dataDir, { recursive: true })
})
