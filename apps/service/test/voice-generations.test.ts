import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { riffChunks } from './support/audio.ts'
import { AUDIO_REFUSALS, type Refusal, TASK_REFUSALS } from './support/refusals.ts'
import { GENERATION } from './support/requests.ts'
import { errorOf, startTestService, type TestService } from './support/test-service.ts'
import { measured } from './support/measured.ts'
import { PASSAGE, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const { path: PATH, body } = GENERATION

async function wav(change: object = {}): Promise<Uint8Array> {
  const generated = await service.audio.voiceGenerations.create({ ...body, ...change, response_format: 'wav' })
  expect(generated.contentType).toBe('audio/wav')
  return riffChunks(await generated.bytes()).get('data') ?? new Uint8Array(0)
}

describe('interface: generate voice', () => {
  // rules: voice-generation.instruction, voice-generation.input
  test('the instruction is audible', async () => {
    const [slow, fast] = [
      await wav({ input: PASSAGE, instruction: 'a deep, slow man' }),
      await wav({ input: PASSAGE, instruction: 'a high-pitched, fast woman' }),
    ]
    expect(slow.length / fast.length).toBeGreaterThan(1.4)
    expect((await measured(fast)).pitchHz / (await measured(slow)).pitchHz).toBeGreaterThan(2)
  })

  test('the same request gives the same audio; another instruction gives another', async () => {
    const [first, again, other] = [await wav(), await wav(), await wav({ instruction: 'purple' })]
    expect(Buffer.compare(first, again)).toBe(0)
    expect(Buffer.compare(first, other)).not.toBe(0)
  })

  // rules: voice-generation.endpoint, voice-generation.audio-answer, voice-generation.delivery-method
  test('mp3 is the default', async () => {
    const generated = await service.audio.voiceGenerations.create(body)
    expect(generated.contentType).toBe('audio/mpeg')
    expect((await generated.bytes()).byteLength).toBeGreaterThan(1000)
  })

  // rules: voice-generation.url-answer, voice-generation.delivery-method, speech-result.fields, speech-result.object
  test('delivery_method=url returns a link, without a voice id', async () => {
    const result = await service.audio.voiceGenerations.createUrl(body)
    expect(result).toEqual({
      id: expect.stringMatching(/^generation_[\da-f]{32}$/),
      object: 'audio.voice_generation',
      status: 'SUCCESS',
      url: expect.stringContaining(service.url),
      response_format: 'mp3',
      content_type: 'audio/mpeg',
      created_at: expect.any(Number),
    })
    const response = await fetch(result.url)
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    expect((await response.bytes()).byteLength).toBeGreaterThan(1000)
  })

  test('no voice is stored', async () => {
    const before = await service.audio.voices.list()
    await wav()
    expect(await service.audio.voices.list()).toEqual(before)
  })

  test('a voice from the audio has its pitch', async () => {
    const generated = await wav({ input: PASSAGE, instruction: 'a sad old woman' })
    const voice = await service.audio.voices.create({ audio_sample: wavOf(generated), name: 'Sad' })
    const request = { model: 'svc-tts-1.0-pro', input: PASSAGE, voice_id: voice.id, response_format: 'pcm' }
    const speech = await (await service.audio.speech.create(request)).bytes()
    const [designed, kept] = [await measured(generated), await measured(speech)]
    expect(Math.abs(kept.pitchHz / designed.pitchHz - 1)).toBeLessThan(0.1)
    expect(Math.abs(speech.byteLength / generated.byteLength - 1)).toBeLessThan(0.2)
  })
})

describe('refused voice generations', () => {
  const rows: Refusal[] = [
    // rules: voice-generation.model, models.own-endpoint
    ...AUDIO_REFUSALS,
    ...TASK_REFUSALS,
    // rules: voice-generation.input
    ['no input', { input: undefined }, 400, 'missing_required_field', 'input'],
    ['an empty input', { input: ' \n' }, 400, 'missing_required_field', 'input'],
    // rules: voice-generation.instruction
    ['no instruction', { instruction: undefined }, 400, 'missing_required_field', 'instruction'],
    ['an empty instruction', { instruction: ' ' }, 400, 'missing_required_field', 'instruction'],
    ['an instruction that is a number', { instruction: 7 }, 400, 'invalid_type', 'instruction'],
    ['a very long instruction', { instruction: 'x'.repeat(2001) }, 400, 'input_too_long', 'instruction'],
    ['a very long input', { input: 'x'.repeat(100_001) }, 400, 'input_too_long', 'input'],
    ['SSML', { input: '<speak>Yes.</speak>' }, 400, 'unsupported_markup', 'input'],
    ['a pause marker', { input: 'Well [pause 1.0s] yes.' }, 400, 'unsupported_for_model', 'input'],
    ['text without a word in it', { input: '🎉' }, 400, 'unspeakable_text', 'input'],
  ]
  test.each(rows)('%s', async (_rule, change, status, code, param) => {
    const response = await service.request('POST', PATH, { ...body, ...change })
    expect(await errorOf(response)).toEqual({ status, code, param })
  })
})
