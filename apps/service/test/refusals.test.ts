import { readdir } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { assert, asyncProperty, constantFrom, integer, oneof, tuple } from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UndecodableAudioError } from '@svc-audio/engine-ports'
import { createAudioUrlPolicy } from '../src/domain/url-policies.ts'
import { createAudioFetcher } from '../src/drivers/http/audio-fetcher.ts'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { namesIn } from './support/fake-services.ts'
import { scriptedEngine } from './support/scripted-engine.ts'
import { errorOf } from './support/test-service.ts'

let app: FakeApp
/** A file of another tenant. */
let foreign: string
beforeAll(async () => {
  app = await startFakeApp({
    // It refuses a text of dots alone.
    speech: scriptedEngine(),
    replace: ({ engines: { codec } }) => ({
      runtime: { fetcher: createAudioFetcher({ policy: createAudioUrlPolicy() }) },
      engines: { codec: { ...codec, decode: () => undecodable() } },
    }),
  })
  const uploaded = await app.post('/v1/files', form({ file: new Blob(['sound']) }), app.second)
  foreign = ((await uploaded.json()) as { id: string }).id
})
afterAll(() => app.close())

// oxlint-disable-next-line require-yield -- it has no audio
async function* undecodable(): AsyncGenerator<Uint8Array> {
  throw new UndecodableAudioError('There is no audio')
}

/** A refused request: its name, the change of the body, and the error. */
type Refusal = readonly [what: string, change: object, status: number, code: string, param: string | null]

type Fields = Readonly<Record<string, string | Blob | readonly string[]>>

function form(fields: Fields): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) data.append(name, one)
  }
  return data
}

const DIALOGUE = {
  path: '/v1/audio/speech/speakers',
  body: {
    model: 'svc-ttsd-1.0',
    speakers: [
      { id: 'anna', voice_id: 'one' },
      { id: 'bob', voice_id: 'two' },
    ],
    segments: [{ speaker: 'anna', text: 'Did you sleep well?' }],
  },
}
const GENERATION = {
  path: '/v1/audio/voice/generations',
  body: { model: 'svc-voice-generator-1.0', input: 'Good morning.', instruction: 'An old man, slow' },
}
const SPEECH = {
  path: '/v1/audio/speech',
  body: { model: 'svc-tts-1.5-flash', input: 'Good morning.', voice_id: 'one' },
}
const STREAM = { path: SPEECH.path, body: { ...SPEECH.body, stream: true, response_format: 'pcm' } }
const TRANSCRIPTIONS = '/v1/audio/transcriptions'

/** Of every endpoint that makes audio. */
const AUDIO: readonly Refusal[] = [
  ['no model', { model: undefined }, 400, 'missing_required_field', 'model'],
  ['an unknown model', { model: 'svc-none' }, 404, 'model_not_found', 'model'],
  ['a model of another endpoint', { model: 'svc-transcribe-1.0' }, 400, 'unsupported_for_model', 'model'],
  ['an unknown format', { response_format: 'midi' }, 400, 'unsupported_response_format', 'response_format'],
  ['an unknown delivery_method', { delivery_method: 'post' }, 400, 'invalid_value', 'delivery_method'],
]

const webhook = (what: string, webhook_url: string): Refusal => [
  what,
  { async: true, webhook_url },
  400,
  'invalid_webhook_url',
  'webhook_url',
]

/** Of every endpoint that can create a task. */
const TASK: readonly Refusal[] = [
  [
    'a webhook without async',
    { async: false, webhook_url: 'https://example.com' },
    400,
    'unsupported_without_async',
    'webhook_url',
  ],
  webhook('a webhook without TLS', 'http://example.com/'),
  webhook('a webhook on this machine', 'https://localhost/'),
  webhook('a webhook on a private address', 'https://10.1.2.3/'),
  webhook('a webhook that is not a URL', 'hook'),
]

const speakers = (...given: object[]): object => ({ speakers: given })
const say = (text: string): object => ({ segments: [{ speaker: 'anna', text }] })

/** An endpoint that makes audio: a valid body, and the refusals that the others do not have. */
interface AudioEndpoint {
  readonly path: string
  readonly body: object
  readonly refusals: readonly Refusal[]
}

const OF_AUDIO: readonly AudioEndpoint[] = [
  {
    ...SPEECH,
    refusals: [
      ['no input', { input: undefined }, 400, 'missing_required_field', 'input'],
      ['a blank input', { input: ' ' }, 400, 'missing_required_field', 'input'],
      ['no voice_id', { voice_id: undefined }, 400, 'missing_required_field', 'voice_id'],
      ['an unknown voice', { voice_id: 'nobody' }, 404, 'voice_not_found', 'voice_id'],
      ['a voice_url', { voice_url: 'https://example.com/v.wav' }, 400, 'unsupported_field', 'voice_url'],
      ['base64 voice data', { voice_data: 'AAAA' }, 400, 'unsupported_field', 'voice_data'],
      ['speed without stream', { speed: 2 }, 400, 'unsupported_without_stream', 'speed'],
      ['language without stream', { language: 'en' }, 400, 'unsupported_without_stream', 'language'],
      ['a duration', { expected_duration_sec: 2 }, 400, 'unsupported_without_stream', 'expected_duration_sec'],
      [
        'a pause with the pro model',
        { model: 'svc-tts-1.0-pro', input: 'a [pause 1.0s] b' },
        400,
        'unsupported_for_model',
        'input',
      ],
      ['SSML', { input: '<speak>Hello.</speak>' }, 400, 'unsupported_markup', 'input'],
      ['a pause that is no number', { input: 'a [pause NaNs] b' }, 400, 'invalid_range', 'input'],
      ['a pause that is too long', { input: 'a [pause 11s] b' }, 400, 'invalid_range', 'input'],
      ['text without a word in it', { input: '...' }, 400, 'unspeakable_text', 'input'],
      ['a very long input', { input: 'x'.repeat(1001) }, 400, 'input_too_long', 'input'],
      ['the type of a field', { stream: 'true' }, 400, 'invalid_type', 'stream'],
      [
        'another spelling of a field',
        { voice_id: undefined, voiceId: 'one' },
        400,
        'missing_required_field',
        'voice_id',
      ],
    ],
  },
  {
    ...DIALOGUE,
    refusals: [
      ['no speakers', { speakers: undefined }, 400, 'missing_required_field', 'speakers'],
      ['an empty list of speakers', speakers(), 400, 'missing_required_field', 'speakers'],
      ['speakers that are a string', { speakers: 'anna' }, 400, 'invalid_type', 'speakers'],
      ['a number as id', speakers({ id: 1, voice_id: 'one' }), 400, 'invalid_type', 'speakers[0].id'],
      ['an invalid marking', { aigc_metadata: { propagate_id: 1 } }, 400, 'invalid_type', 'aigc_metadata.propagate_id'],
      ['a speaker without id', speakers({ voice_id: 'one' }), 400, 'missing_required_field', 'speakers[0].id'],
      ['a speaker without voice', speakers({ id: 'a' }), 400, 'missing_required_field', 'speakers[0].voice_id'],
      ['an unknown voice', speakers({ id: 'a', voice_id: 'x' }), 404, 'voice_not_found', 'speakers[0].voice_id'],
      [
        'two speakers of one id',
        speakers({ id: 'bob', voice_id: 'one' }, { id: 'bob', voice_id: 'two' }),
        400,
        'duplicate_speaker',
        'speakers[1].id',
      ],
      [
        'a voice_url',
        speakers({ id: 'a', voice_id: 'one', voice_url: 'https://example.com' }),
        400,
        'unsupported_field',
        'voice_url',
      ],
      ['a file_id', { file_id: 'file_1' }, 400, 'unsupported_field', 'file_id'],
      [
        'too many speakers',
        speakers(...Array.from({ length: 1001 }, (_, n) => ({ id: String(n), voice_id: 'one' }))),
        400,
        'invalid_range',
        'speakers',
      ],
      ['no segments', { segments: undefined }, 400, 'missing_required_field', 'segments'],
      ['an empty list of segments', { segments: [] }, 400, 'missing_required_field', 'segments'],
      ['a very long dialogue', say('x'.repeat(1001)), 400, 'input_too_long', 'segments'],
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
      ['a line that cannot be spoken', say('...'), 400, 'unspeakable_text', 'segments[0].text'],
    ],
  },
  {
    ...GENERATION,
    refusals: [
      ['no input', { input: undefined }, 400, 'missing_required_field', 'input'],
      ['an empty input', { input: ' \n' }, 400, 'missing_required_field', 'input'],
      ['no instruction', { instruction: undefined }, 400, 'missing_required_field', 'instruction'],
      ['an empty instruction', { instruction: ' ' }, 400, 'missing_required_field', 'instruction'],
      ['an instruction that is a number', { instruction: 7 }, 400, 'invalid_type', 'instruction'],
      ['a very long instruction', { instruction: 'x'.repeat(2001) }, 400, 'input_too_long', 'instruction'],
      ['a very long input', { input: 'x'.repeat(1001) }, 400, 'input_too_long', 'input'],
      ['SSML', { input: '<speak>Yes.</speak>' }, 400, 'unsupported_markup', 'input'],
      ['a pause marker', { input: 'Well [pause 1.0s] yes.' }, 400, 'unsupported_for_model', 'input'],
      ['text without a word in it', { input: '...' }, 400, 'unspeakable_text', 'input'],
    ],
  },
]

describe.each(OF_AUDIO)('POST $path refuses', ({ path, body, refusals }) => {
  test.each([...AUDIO, ...refusals])('%s', async (_what, change, status, code, param) => {
    expect(await errorOf(await app.post(path, { ...body, ...change }))).toEqual({ status, code, param })
  })

  test.each(TASK)('%s, and creates no task', async (_what, change, status, code, param) => {
    expect(await errorOf(await app.post(path, { ...body, async: true, ...change }))).toEqual({ status, code, param })
    expect((await app.services.stores.metrics.read()).queued).toBe(0)
  })
})

const STREAMED: readonly Refusal[] = [
  ['no input', { input: undefined }, 400, 'missing_required_field', 'input'],
  ['an empty input', { input: '' }, 400, 'missing_required_field', 'input'],
  ['an input empty after trimming', { input: ' \n\t ' }, 400, 'missing_required_field', 'input'],
  ['no response_format', { response_format: undefined }, 400, 'unsupported_response_format', 'response_format'],
  ['response_format mp3', { response_format: 'mp3' }, 400, 'unsupported_response_format', 'response_format'],
  ['response_format in capitals', { response_format: 'PCM' }, 400, 'unsupported_response_format', 'response_format'],
  ['another stream_format', { stream_format: 'ndjson' }, 400, 'unsupported_stream', 'stream'],
  ['an empty stream_format', { stream_format: '' }, 400, 'unsupported_stream', 'stream'],
  ['a model that does not stream', { model: 'svc-tts-1.0-pro' }, 400, 'unsupported_stream', 'stream'],
  ['a snapshot of the flash model', { model: 'svc-tts-1.5-flash-2026-11-21' }, 400, 'unsupported_stream', 'stream'],
  ['a transcription model', { model: 'svc-transcribe-1.0' }, 400, 'unsupported_stream', 'stream'],
  ['the model in other case', { model: 'SVC-TTS-1.5-Flash' }, 404, 'model_not_found', 'model'],
  ['no model', { model: undefined }, 400, 'missing_required_field', 'model'],
  ['a sample_rate', { sample_rate: 16_000 }, 400, 'unsupported_for_stream', 'sample_rate'],
  ['a speed that is too slow', { speed: 0.249 }, 400, 'invalid_range', 'speed'],
  ['a speed that is too fast', { speed: 4.01 }, 400, 'invalid_range', 'speed'],
  ['a negative speed', { speed: -1 }, 400, 'invalid_range', 'speed'],
  ['a speed that is a word', { speed: 'fast' }, 400, 'invalid_type', 'speed'],
  ['async', { async: true }, 400, 'unsupported_with_async', 'stream'],
  ['a webhook_url', { webhook_url: 'https://example.com/x' }, 400, 'unsupported_with_webhook', 'stream'],
  ['a delivery method', { delivery_method: 'audio' }, 400, 'unsupported_with_stream', 'delivery_method'],
  ['a delivery by URL', { delivery_method: 'url' }, 400, 'unsupported_with_stream', 'delivery_method'],
  ['a duration of 0', { expected_duration_sec: 0 }, 400, 'invalid_range', 'expected_duration_sec'],
  ['a negative duration', { expected_duration_sec: -2 }, 400, 'invalid_range', 'expected_duration_sec'],
  ['a duration of a day', { expected_duration_sec: 86_400 }, 400, 'invalid_range', 'expected_duration_sec'],
  ['a voice_url', { voice_url: 'https://example.com/a.wav' }, 400, 'unsupported_field', 'voice_url'],
  ['voice_data', { voice_data: 'AAAA' }, 400, 'unsupported_field', 'voice_data'],
  ['a file_id', { file_id: 'file_1' }, 400, 'unsupported_field', 'file_id'],
  ['a pause of 0 s', { input: 'A [pause 0.0s] b.' }, 400, 'invalid_range', 'input'],
  ['a pause of 10.1 s', { input: 'A [pause 10.1s] b.' }, 400, 'invalid_range', 'input'],
  ['a pause that is no number', { input: 'A [pause NaNs] b.' }, 400, 'invalid_range', 'input'],
  ['SSML', { input: 'A <break time="1s"/> b.' }, 400, 'unsupported_markup', 'input'],
  ['an unknown voice', { voice_id: 'nobody' }, 404, 'voice_not_found', 'voice_id'],
  ['a language that no engine has', { language: ' fr ' }, 400, 'unsupported_language', 'language'],
  ['an input that cannot be spoken', { input: '...' }, 400, 'unspeakable_text', 'input'],
  ['a very long input', { input: 'a'.repeat(1001) }, 400, 'input_too_long', 'input'],
]

describe('a stream of speech refuses', () => {
  test.each(STREAMED)('%s, before any work', async (_what, change, status, code, param) => {
    const response = await app.post(STREAM.path, { ...STREAM.body, ...change })
    expect(await errorOf(response)).toEqual({ status, code, param })
    expect(await namesIn(app.services.objects.results)).toEqual([])
  })
})

describe('a transcription refuses', () => {
  const [plain, speakers_] = [{ model: 'svc-transcribe-1.0' }, { model: 'svc-transcribe-diarize-pro' }]
  const file = new Blob([new Uint8Array(100)])
  const forms: readonly (readonly [what: string, fields: Fields, ...error: readonly [number, string, string]])[] = [
    ['no source', plain, 400, 'missing_required_field', 'file'],
    ['no model', { file }, 400, 'missing_required_field', 'model'],
    ['an unknown model', { model: 'svc-x', file }, 404, 'model_not_found', 'model'],
    ['a speech model', { model: 'svc-tts-1.5-flash', file }, 400, 'unsupported_for_model', 'model'],
    ['keyterms of the standard model', { ...plain, keyterms: 'Acme', file }, 400, 'unsupported_for_model', 'keyterms'],
    ['speakers of the standard model', { ...plain, diarize: 'true', file }, 400, 'unsupported_for_model', 'diarize'],
    ['a stream of the standard model', { ...plain, stream: 'true', file }, 400, 'unsupported_stream', 'stream'],
    ['an invalid boolean', { ...plain, diarize: 'yes', file }, 400, 'invalid_type', 'diarize'],
    [
      'an unknown format',
      { ...plain, response_format: 'srt', file },
      400,
      'unsupported_response_format',
      'response_format',
    ],
    ['two sources', { ...plain, url: 'https://example.com/a.wav', file }, 400, 'ambiguous_source', 'url'],
    ['audio_data', { ...plain, audio_data: 'AAAA' }, 400, 'unsupported_field', 'audio_data'],
    [
      'a webhook without async',
      { ...plain, webhook_url: 'https://x.y', file },
      400,
      'unsupported_without_async',
      'webhook_url',
    ],
    ['the file under another name', { ...plain, audio: file }, 400, 'unexpected_file', 'file'],
    ['two files', { ...plain, file: [file, file] as never }, 400, 'too_many_files', 'file'],
    ['bytes without audio', { ...plain, file }, 415, 'undecodable_audio', 'file'],
    ['a keyterm that is a number', { ...speakers_, keyterms: '["a", 1]', file }, 400, 'invalid_type', 'keyterms'],
    [
      'a keyterm of 101 characters',
      { ...speakers_, keyterms: 'x'.repeat(101), file },
      400,
      'invalid_range',
      'keyterms',
    ],
    [
      '101 keyterms',
      { ...speakers_, keyterms: JSON.stringify(Array.from({ length: 101 }, (_, n) => `n${n}`)), file },
      400,
      'invalid_range',
      'keyterms',
    ],
    [
      'a stream with async',
      { ...speakers_, stream: 'true', async: 'true', file },
      400,
      'unsupported_with_stream',
      'async',
    ],
    [
      'a stream with a webhook',
      { ...speakers_, stream: 'true', webhook_url: 'https://example.com/', file },
      400,
      'unsupported_with_stream',
      'webhook_url',
    ],
    [
      'a stream as text',
      { ...speakers_, stream: 'true', response_format: 'text', file },
      400,
      'unsupported_with_stream',
      'response_format',
    ],
  ]
  test.each(forms)('%s, and its file is deleted', async (_what, fields, status, code, param) => {
    expect(await errorOf(await app.post(TRANSCRIPTIONS, form(fields)))).toEqual({ status, code, param })
    expect(await readdir(app.services.objects.uploadFolder)).toEqual([])
  })

  const sources: readonly Refusal[] = [
    ['none', {}, 400, 'missing_required_field', 'file'],
    ['two', { file_id: 'file_0', url: 'https://example.com/' }, 400, 'ambiguous_source', 'url'],
    [
      'two URLs',
      { url: 'https://example.com/a', audio_url: 'https://example.com/b' },
      400,
      'ambiguous_source',
      'audio_url',
    ],
    ['an unknown file', { file_id: 'file_0' }, 404, 'file_not_found', 'file_id'],
    ['a relative URL', { url: 'speech.wav' }, 400, 'invalid_url', 'url'],
    ['a file of this machine', { url: 'file:///etc/passwd' }, 400, 'invalid_url', 'url'],
    ['this machine', { audio_url: 'http://localhost/' }, 400, 'private_url', 'audio_url'],
    ['a private address', { url: 'http://10.0.0.1/' }, 400, 'private_url', 'url'],
    ['keyterms that are no list', { url: 'https://example.com/', keyterms: 'Acme' }, 400, 'invalid_type', 'keyterms'],
  ]
  test.each(sources)('the source %s, also for a task', async (_what, change, status, code, param) => {
    for (const more of [{}, { async: true }]) {
      const response = await app.post(TRANSCRIPTIONS, { ...plain, ...change, ...more })
      expect(await errorOf(response)).toEqual({ status, code, param })
    }
  })

  test("another tenant's file", async () => {
    const response = await app.post(TRANSCRIPTIONS, { ...plain, file_id: foreign })
    expect(await errorOf(response)).toEqual({ status: 404, code: 'file_not_found', param: 'file_id' })
  })

  test('a stored file without audio, by its field', async () => {
    const { id } = (await (await app.post('/v1/files', form({ file }))).json()) as { id: string }
    const response = await app.post(TRANSCRIPTIONS, { ...plain, file_id: id })
    expect(await errorOf(response)).toEqual({ status: 415, code: 'undecodable_audio', param: 'file_id' })
  })

  test.each(['', '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nsvc', 'nonsense'])(
    'the broken form %j',
    async (body) => {
      const headers = { 'content-type': 'multipart/form-data; boundary=x' }
      expect((await app.post(TRANSCRIPTIONS, body, headers)).status).toBe(400)
    },
  )
})

describe('a voice refuses', () => {
  const audio_sample = new Blob(['sound'])
  const forms: readonly (readonly [what: string, fields: Fields, code: string, param: string])[] = [
    ['no sample', { name: 'Someone' }, 'missing_required_field', 'audio_sample'],
    ['a sample as text', { audio_sample: 'UklGRg==' }, 'missing_required_field', 'audio_sample'],
    ['a sample that is no audio', { audio_sample }, 'invalid_audio_sample', 'audio_sample'],
    ['a file of another name', { file: audio_sample }, 'unexpected_file', 'audio_sample'],
    ['two samples', { audio_sample: [audio_sample, audio_sample] as never }, 'too_many_files', 'audio_sample'],
    ['a file id', { audio_sample, file_id: 'file_1' }, 'unsupported_field', 'file_id'],
    ['a file id alone', { file_id: 'file_1' }, 'unsupported_field', 'file_id'],
    ['an address', { audio_url: 'https://example.com/a.wav' }, 'unsupported_field', 'audio_url'],
    ['base64 data', { audio_data: 'UklGRg==' }, 'unsupported_field', 'audio_data'],
    ['a very long name', { audio_sample, name: 'x'.repeat(201) }, 'field_too_long', 'name'],
    ['two names', { audio_sample, name: ['a', 'b'] }, 'invalid_type', 'name'],
    ['a very long description', { audio_sample, description: 'x'.repeat(2001) }, 'field_too_long', 'description'],
  ]
  test.each(forms)('%s', async (_what, fields, code, param) => {
    expect(await errorOf(await app.post('/v1/audio/voices', form(fields)))).toEqual({ status: 400, code, param })
    expect(await readdir(app.services.objects.uploadFolder)).toEqual([])
  })

  const bodies: readonly (readonly [contentType: string, body: string])[] = [
    ['application/json', '{"audio_sample":"UklGRg=="}'],
    ['application/json', '{'],
    ['application/json', JSON.stringify({ audio_data: 'x'.repeat(3_000_000) })],
    ['audio/wav', 'RIFF'],
    ['application/x-www-form-urlencoded', 'audio_url=https%3A%2F%2Fexample.com'],
    ['multipart/mixed; boundary=x', '--x--'],
  ]
  test.each(bodies)('%s', async (contentType, body) => {
    const response = await app.post('/v1/audio/voices', body, { 'content-type': contentType })
    expect(await errorOf(response)).toEqual({ status: 415, code: 'unsupported_media_type', param: 'audio_sample' })
  })
})

describe('an upload refuses', () => {
  const file = new Blob(['sound'])
  const forms: readonly (readonly [what: string, fields: Fields, code: string, param: string])[] = [
    ['no file', { purpose: 'audio' }, 'missing_required_field', 'file'],
    ['a purpose of 513 characters', { file, purpose: 'x'.repeat(513) }, 'field_too_long', 'purpose'],
    ['two purposes', { file, purpose: ['one', 'two'] }, 'invalid_type', 'purpose'],
  ]
  test.each(forms)('%s, and nothing is stored', async (_what, fields, code, param) => {
    const before = await namesIn(app.services.objects.uploads)
    expect(await errorOf(await app.post('/v1/files', form(fields)))).toEqual({ status: 400, code, param })
    expect(await namesIn(app.services.objects.uploads)).toEqual(before)
    expect(await readdir(app.services.objects.uploadFolder)).toEqual([])
  })
})

describe('a list refuses', () => {
  const queries: readonly (readonly [query: string, code: string, param: string])[] = [
    ['audio/voices?limit=0', 'invalid_range', 'limit'],
    ['audio/voices?limit=151', 'invalid_range', 'limit'],
    ['audio/voices?limit=1.5', 'invalid_range', 'limit'],
    ['audio/voices?limit=ten', 'invalid_type', 'limit'],
    ['audio/voices?offset=-1', 'invalid_range', 'offset'],
    ['audio/voices?after=nobody', 'invalid_cursor', 'after'],
    ['audio/voices?after=one&offset=1', 'ambiguous_paging', 'after'],
    ['audio/voices?status=happy', 'invalid_value', 'status'],
    ['files?limit=0', 'invalid_range', 'limit'],
    ['files?limit=201', 'invalid_range', 'limit'],
    ['files?limit=1.5', 'invalid_range', 'limit'],
    ['files?limit=', 'invalid_range', 'limit'],
    ['files?offset=-1', 'invalid_range', 'offset'],
    ['files?offset=100001', 'invalid_range', 'offset'],
  ]
  test.each(queries)('%s', async (query, code, param) => {
    expect(await errorOf(await app.get(`/v1/${query}`))).toEqual({ status: 400, code, param })
  })
})

describe('every JSON endpoint refuses', () => {
  test.each([SPEECH, DIALOGUE, GENERATION])('$path: another body than a JSON object', async ({ path, body }) => {
    expect(await errorOf(await app.post(path, '{'))).toEqual({ status: 400, code: 'invalid_json', param: null })
    expect(await errorOf(await app.post(path, [body]))).toEqual({ status: 400, code: 'invalid_type', param: null })
    for (const type of ['text/csv', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const response = await app.post(path, JSON.stringify(body), { 'content-type': type })
      expect(await errorOf(response)).toEqual({ status: 415, code: 'unsupported_media_type', param: null })
    }
  })
})

test('an unknown path is 404, an unknown method 405 with the allowed ones', async () => {
  const errorAt = async (method: string, path: string) => (await errorOf(await app.request(method, path))).code
  expect(await errorAt('GET', '/v1/audio/nothing')).toBe('not_found')
  expect(await errorAt('DELETE', '/v1/audio/speech')).toBe('method_not_allowed')
  const allowed = async (method: string, path: string) => (await app.request(method, path)).headers.get('allow')
  expect(await allowed('DELETE', '/v1/audio/speech')).toBe('POST')
  expect(await allowed('PUT', '/v1/files/file_1')).toBe('GET, HEAD, DELETE')
})

test('each response has another request id', async () => {
  const paths = ['/healthz', '/v1/models', '/v1/files?limit=0', '/nothing']
  const ids = await Promise.all(paths.map(async (path) => (await app.get(path)).headers.get('x-request-id') ?? ''))
  expect(new Set(ids).size).toBe(paths.length)
  for (const id of ids) expect(id).toMatch(/^[\da-f-]{36}$/)
})

/** All stored data: the rows of each table, and the names in each folder. */
async function everything(): Promise<Map<unknown, unknown>> {
  const { dataDir } = app.services
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'), { readOnly: true })
  try {
    // Usage of earlier requests is written later.
    const query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('usage', 'usage_batches')"
    const rows = database
      .prepare(query)
      .all()
      .map(({ name }): [unknown, unknown] => [name, database.prepare(`SELECT * FROM ${String(name)}`).all()])
    const names = ['results', 'uploads', 'inputs', 'files'].map(async (folder): Promise<[unknown, unknown]> => [
      `${folder}/`,
      await readdir(join(dataDir, folder)),
    ])
    return new Map([...rows, ...(await Promise.all(names))])
  } finally {
    database.close()
  }
}

/** Result of a request: whether it was refused, and the tables and folders that it changed. */
async function outcome(path: string, body: object, key: string): Promise<{ refused: boolean; changed: unknown[] }> {
  const before = await everything()
  const { status } = await app.post(path, body, { 'idempotency-key': key })
  const after = await everything()
  const changed = [...after.keys()].filter((name) => !isDeepStrictEqual(after.get(name), before.get(name)))
  return { refused: status >= 400 && status < 500, changed }
}

describe('a refused task leaves no row, no file and no key', () => {
  const NOTHING = { refused: true, changed: [] }
  const transcription = {
    path: TRANSCRIPTIONS,
    body: { model: 'svc-transcribe-1.0' },
    refusals: [
      ...TASK.map(([, change]) => change),
      { response_format: 'midi' },
      { model: 'svc-none' },
      { diarize: true },
      { keyterms: ['Acme'] },
      { stream: true },
      { audio_data: 'AAAA' },
    ],
  }
  const audio = OF_AUDIO.map(({ path, body, refusals }) => {
    return { path, body, refusals: [...AUDIO, ...TASK, ...refusals].map(([, change]) => change) }
  })
  /** One endpoint with one or two faults. */
  const requests = oneof(
    ...[...audio, transcription].map(({ path, body, refusals }) =>
      tuple(constantFrom({ path, body }), constantFrom(...refusals), constantFrom({}, ...refusals)),
    ),
  )

  test('for any reason', async () => {
    // A text that no voice can speak fails as a task.
    const speakable = requests.filter(([, ...changes]) => !JSON.stringify(changes).includes('"..."'))
    const property = asyncProperty(speakable, integer({ min: 0, max: 3 }), async ([{ path, body }, one, more], key) => {
      const whole: Record<string, unknown> = { ...body, async: true, ...more, ...one }
      const sent = Object.entries(whole).filter(([, value]) => value !== undefined)
      const fields = Object.fromEntries(sent.map(([name, value]) => [name, String(value)]))
      const given = path === TRANSCRIPTIONS ? form({ ...fields, file: new Blob([new Uint8Array(20_000)]) }) : whole
      expect(await outcome(path, given, `key-${key}`)).toEqual(NOTHING)
    })
    await assert(property, { numRuns: 200 })
  })

  test('for a missing or forbidden source', async () => {
    const sources = [
      {},
      { file_id: 'file_0' },
      { file_id: foreign },
      { url: 'http://10.0.0.1/' },
      { audio_url: 'file:///etc/passwd' },
      { file_id: foreign, url: 'https://example.com/' },
    ]
    const more = constantFrom({}, ...transcription.refusals)
    const property = asyncProperty(constantFrom(...sources), more, async (source, change) => {
      const body = { ...transcription.body, async: true, ...source, ...change }
      expect(await outcome(TRANSCRIPTIONS, body, 'key-0')).toEqual(NOTHING)
    })
    await assert(property, { numRuns: 60 })
  })

  test.each([SPEECH, DIALOGUE, GENERATION])('$path: for an invalid key', async ({ path, body }) => {
    expect(await outcome(path, { ...body, async: true }, 'x'.repeat(256))).toEqual(NOTHING)
  })

  test('and its key is free for another request', async () => {
    for (const [index, { path, body }] of [SPEECH, DIALOGUE, GENERATION].entries()) {
      const response = await app.post(path, { ...body, async: true }, { 'idempotency-key': `key-${index}` })
      expect(response.status).toBe(200)
    }
  })
})

test('a recording whose part has no file name is refused with the remedy, whatever its bytes', async () => {
  const head = '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nsvc-transcribe-1.0\r\n'
  const part = '--x\r\ncontent-disposition: form-data; name="file"\r\n\r\n'
  const body = Buffer.concat([
    Buffer.from(head + part),
    Buffer.from([0xff, 0xfb, 0x90, 0]),
    Buffer.from('\r\n--x--\r\n'),
  ])
  const response = await fetch(`${app.url}${TRANSCRIPTIONS}`, {
    method: 'POST',
    headers: { ...app.first, 'content-type': 'multipart/form-data; boundary=x' },
    body,
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { code: 'missing_required_field', param: 'file', message: expect.stringContaining('has no file name') },
  })
})
