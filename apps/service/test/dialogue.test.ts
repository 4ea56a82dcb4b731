import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GAP_SECONDS } from '../src/use-cases/dialogue.ts'
import { peak, riffChunks } from './support/audio.ts'
import { AUDIO_REFUSALS, type Refusal, TASK_REFUSALS } from './support/refusals.ts'
import { DIALOGUE } from './support/requests.ts'
import { errorOf, startTestService, type TestService } from './support/test-service.ts'
import { measured } from './support/measured.ts'
import { PASSAGE } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const { path: PATH, body } = DIALOGUE

async function pcmOf(change: object = {}): Promise<Buffer> {
  const dialogue = await service.audio.dialogue.create({ ...body, ...change, response_format: 'pcm' })
  return Buffer.from(await dialogue.bytes())
}

async function spoken(text: string, voice_id: string): Promise<Buffer> {
  const request = { model: 'svc-tts-1.0-pro', input: text, voice_id, response_format: 'pcm' }
  return Buffer.from(await (await service.audio.speech.create(request)).bytes())
}

const silence = (seconds: number): Buffer => Buffer.alloc(Math.round(seconds * 16_000) * 2)

describe('interface: multi-speaker', () => {
  // rules: dialogue.segment-speaker, dialogue.segment-text
  test('lines are the speech of each voice, in order, with natural gaps between them', async () => {
    const [question, response, back] = await Promise.all([
      spoken('Did you sleep well?', 'slt'),
      spoken('Like a stone.', 'rms'),
      spoken('And you?', 'rms'),
    ])
    const expected = [question, silence(GAP_SECONDS.question), response, silence(GAP_SECONDS.sameSpeaker), back]
    expect(Buffer.compare(await pcmOf(), Buffer.concat(expected))).toBe(0)
  })

  // rules: dialogue.speaker-fields, voice.id-use
  test('each speaker has the pitch of its voice', async () => {
    const lines = (speaker: string): object => ({ segments: [{ speaker, text: PASSAGE }] })
    const [anna, bob] = [await measured(await pcmOf(lines('anna'))), await measured(await pcmOf(lines('bob')))]
    expect(anna.pitchHz).toBeGreaterThan(150)
    expect(bob.pitchHz).toBeLessThan(115)
  })

  const formats: [format: string | undefined, contentType: string][] = [
    [undefined, 'audio/mpeg'],
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
    ['opus', 'audio/ogg'],
    ['flac', 'audio/flac'],
    ['aac', 'audio/aac'],
  ]
  // rules: dialogue.endpoint, dialogue.response-format, dialogue.delivery-method
  test.each(formats)('the format %s is audio of type %s', async (format, contentType) => {
    const dialogue = await service.audio.dialogue.create({
      ...body,
      ...(format === undefined ? {} : { response_format: format }),
    })
    expect(dialogue.contentType).toBe(contentType)
    expect((await dialogue.bytes()).byteLength).toBeGreaterThan(2000)
  })

  // rules: dialogue.model, versioning.dated, versioning.undated
  test('the pinned model gives the same audio', async () => {
    expect(Buffer.compare(await pcmOf({ model: 'svc-ttsd-1.0-2026-03-20' }), await pcmOf())).toBe(0)
  })

  // rules: dialogue.delivery-method, speech-result.fields, speech-result.object
  test('delivery_method=url answers with a link to the audio', async () => {
    const result = await service.audio.dialogue.createUrl({ ...body, response_format: 'wav' })
    expect(result).toEqual({
      id: expect.stringMatching(/^speech_[\da-f]{32}$/),
      object: 'audio.speech',
      status: 'SUCCESS',
      url: expect.stringContaining(service.url),
      response_format: 'wav',
      content_type: 'audio/wav',
      created_at: expect.any(Number),
    })
    const file = await (await fetch(result.url)).bytes()
    expect(peak(file.subarray(44))).toBeGreaterThan(0.05)
  })

  // rules: dialogue.aigc, speech.aigc-file-only, speech.aigc-default
  test('aigc_metadata marks the file and does not change the sound', async () => {
    const create = async (more: object): Promise<Map<string, Uint8Array>> => {
      const dialogue = await service.audio.dialogue.create({ ...body, ...more, response_format: 'wav' })
      return riffChunks(await dialogue.bytes())
    }
    const marking = { enabled: true, content_propagator: 'Radio', propagate_id: '7' }
    const [marked, plain] = [await create({ aigc_metadata: marking }), await create({})]
    const { AIGC } = JSON.parse(Buffer.from(marked.get('AIGC') ?? []).toString('utf8')) as { AIGC: object }
    expect(AIGC).toMatchObject({ ContentPropagator: 'Radio', PropagateID: '7' })
    expect(plain.has('AIGC')).toBe(false)
    expect(Buffer.compare(marked.get('data') ?? Buffer.alloc(0), plain.get('data') ?? Buffer.alloc(0))).toBe(0)
  })
})

describe('refused dialogues', () => {
  const say = (text: string): object => ({ segments: [{ speaker: 'anna', text }] })
  const rows: Refusal[] = [
    // rules: dialogue.model, models.own-endpoint
    ...AUDIO_REFUSALS,
    ...TASK_REFUSALS,
    // rules: dialogue.speakers
    ['no speakers', { speakers: undefined }, 400, 'missing_required_field', 'speakers'],
    ['an empty list of speakers', { speakers: [] }, 400, 'missing_required_field', 'speakers'],
    ['speakers that are a string', { speakers: 'anna' }, 400, 'invalid_type', 'speakers'],
    [
      'a speaker with a number as its id',
      { speakers: [{ id: 1, voice_id: 'rms' }] },
      400,
      'invalid_type',
      'speakers[0].id',
    ],
    ['an invalid marking', { aigc_metadata: { propagate_id: 1 } }, 400, 'invalid_type', 'aigc_metadata.propagate_id'],
    // rules: dialogue.speaker-fields
    ['a speaker without id', { speakers: [{ voice_id: 'rms' }] }, 400, 'missing_required_field', 'speakers[0].id'],
    ['a speaker without voice', { speakers: [{ id: 'a' }] }, 400, 'missing_required_field', 'speakers[0].voice_id'],
    ['an unknown voice', { speakers: [{ id: 'a', voice_id: 'x' }] }, 404, 'voice_not_found', 'speakers[0].voice_id'],
    [
      'two speakers of one id',
      { speakers: [...body.speakers, { id: 'bob', voice_id: 'awb' }] },
      400,
      'duplicate_speaker',
      'speakers[2].id',
    ],
    [
      'a voice_url',
      { speakers: [{ id: 'a', voice_id: 'rms', voice_url: 'https://example.com' }] },
      400,
      'unsupported_field',
      'voice_url',
    ],
    ['a file_id', { file_id: 'file_1' }, 400, 'unsupported_field', 'file_id'],
    // rules: dialogue.segments
    ['no segments', { segments: undefined }, 400, 'missing_required_field', 'segments'],
    ['an empty list of segments', { segments: [] }, 400, 'missing_required_field', 'segments'],
    // rules: dialogue.segment-text
    ['an empty line', say('  '), 400, 'missing_required_field', 'segments[0].text'],
    [
      'an unknown speaker',
      { segments: [{ speaker: 'carl', text: 'Hi.' }] },
      400,
      'unknown_speaker',
      'segments[0].speaker',
    ],
    ['a line without speaker', { segments: [{ text: 'Hi.' }] }, 400, 'missing_required_field', 'segments[0].speaker'],
    ['SSML', say('Well <break time="1s"/> yes.'), 400, 'unsupported_markup', 'segments[0].text'],
    ['a pause that is no number', say('Well [pause NaNs] yes.'), 400, 'unsupported_for_model', 'segments[0].text'],
    ['a pause marker', say('Well [pause 1.0s] yes.'), 400, 'unsupported_for_model', 'segments[0].text'],
    ['a line that cannot be spoken', say('🎉🎉'), 400, 'unspeakable_text', 'segments[0].text'],
  ]
  test.each(rows)('%s', async (_rule, change, status, code, param) => {
    const response = await service.request('POST', PATH, { ...body, ...change })
    expect(await errorOf(response)).toEqual({ status, code, param })
  })

  test('too many characters in all lines together', async () => {
    const segments = Array.from({ length: 101 }, () => ({ speaker: 'bob', text: 'x'.repeat(1000) }))
    const response = await service.request('POST', PATH, { ...body, segments })
    expect(await errorOf(response)).toEqual({ status: 400, code: 'input_too_long', param: 'segments' })
  })

  test('too many speakers', async () => {
    const speakers = Array.from({ length: 1001 }, (_, n) => ({ id: String(n), voice_id: `voice_${n}` }))
    const response = await service.request('POST', PATH, { ...body, speakers })
    expect(await errorOf(response)).toEqual({ status: 400, code: 'invalid_range', param: 'speakers' })
  })
})
