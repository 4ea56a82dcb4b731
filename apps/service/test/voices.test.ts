import { AudioClient, type Voice } from '@svc-audio/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, KEY, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'
import { buzz, measured, noise, PASSAGE, wavOf } from './voice-design/speech.ts'

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
  test('answers with the voice and nothing else', async () => {
    const response = await create({ audio_sample: wavOf(SAMPLE), name: 'Ägidius', description: 'hums' })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^voice_[\da-f]{32}$/),
      object: 'audio.voice',
      name: 'Ägidius',
      created_at: expect.any(Number),
    })
  })

  test('without a name it is the empty string', async () => {
    expect(await service.audio.voices.create({ audio_sample: wavOf(SAMPLE) })).toMatchObject({ name: '' })
  })

  test('nothing is left of the sample', async () => {
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

describe('a voice of one’s own', () => {
  let low: Voice
  let high: Voice
  beforeAll(async () => {
    low = await service.audio.voices.create({ audio_sample: wavOf(buzz(90, 3, 4)), name: 'Low' })
    high = await service.audio.voices.create({ audio_sample: wavOf(buzz(250, 3, 4)), name: 'High' })
  })

  test('speaks', async () => {
    expect((await measured(await speech(low.id, 'pcm'))).pitchHz).toBeCloseTo(90, -1)
    expect((await measured(await speech(high.id, 'pcm'))).pitchHz).toBeCloseTo(250, -1.4)
  })

  test('streams, and the stream is the same audio', async () => {
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

  test('takes part in a dialogue', async () => {
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

  test('is there after a restart', async () => {
    const { startService } = await import('../src/index.ts')
    const dataDir = service.dataDir
    await service.audio.close()
    const second = await startService({ dataDir, port: 0, apiKeys: new Map([[KEY, 'first']]), logLevel: 'silent' })
    const audio = new AudioClient({ apiKey: KEY, baseUrl: second.url })
    try {
      const { data } = await audio.voices.list({ limit: 150 })
      expect(data.map(({ id }) => id)).toContain(low.id)
    } finally {
      await audio.close()
      await second.close()
    }
  })
})
