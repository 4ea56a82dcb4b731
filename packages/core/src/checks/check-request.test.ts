import { describe, expect, test } from 'vitest'
import { InvalidRequestError } from '../errors.ts'
import { checkRequest } from './check-request.ts'
import { checkDialogue, checkSpeech, checkVoiceGeneration } from './speech.ts'
import { checkTranscription } from './transcription.ts'

type Wrong = readonly [body: object, code: string, param: string]

/** What a check says of a body. */
function refusal(check: () => void): Pick<InvalidRequestError, 'code' | 'param'> | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error
    return { code: error.code, param: error.param }
  }
}

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'a', voice_id: 'v' }
const DIALOGUE = {
  model: 'svc-ttsd-1.0',
  speakers: [{ id: 'ann', voice_id: 'v-1' }],
  segments: [{ speaker: 'ann', text: 'Hello.' }],
}
const GENERATION = { model: 'svc-voice-generator-1.0', input: 'a', instruction: 'old' }
const TRANSCRIPTION = { model: 'svc-transcribe-diarize-pro', file_id: 'f' }

const checks: readonly (readonly [string, object, (body: object, outcome: 'answer' | 'task') => void])[] = [
  ['speech', SPEECH, checkSpeech],
  ['dialogue', DIALOGUE, checkDialogue],
  ['voice generation', GENERATION, checkVoiceGeneration],
  ['transcription', TRANSCRIPTION, checkTranscription],
]

describe.each(checks)('%s', (_, body, check) => {
  // rules: webhook.https, speech.webhook-url, dialogue.webhook-url, voice-generation.webhook-url
  // rules: transcription.webhook-url
  test('as a task takes async: true and an HTTPS webhook', () => {
    expect(refusal(() => check(body, 'task'))).toBeUndefined()
    const more = { async: true, webhook_url: 'https://example.com/hook?token=1' }
    expect(refusal(() => check({ ...body, ...more }, 'task'))).toBeUndefined()
  })

  test('as a response takes neither', () => {
    expect(refusal(() => check({ ...body, async: true }, 'answer'))).toEqual({
      code: 'unsupported_field',
      param: 'async',
    })
    const hook = { webhook_url: 'https://example.com/hook' }
    expect(refusal(() => check({ ...body, ...hook }, 'answer'))).toMatchObject({ param: 'webhook_url' })
  })

  test('as a task refuses async: false', () => {
    expect(refusal(() => check({ ...body, async: false }, 'task'))).toMatchObject({ param: 'async' })
  })

  // rules: webhook.https, speech.webhook-url, dialogue.webhook-url, voice-generation.webhook-url
  // rules: transcription.webhook-url
  test.each(['http://example.com/hook', 'ftp://example.com', '/hook', 'example.com', '', 7, null])(
    'refuses the webhook %j (interface: `webhook_url`, HTTPS)',
    (url) => {
      expect(refusal(() => check({ ...body, webhook_url: url }, 'task'))).toEqual({
        code: 'invalid_webhook_url',
        param: 'webhook_url',
      })
    },
  )

  test('plain HTTP is accepted for a private host; a self-hosted service decides', () => {
    expect(refusal(() => check({ ...body, webhook_url: 'http://127.0.0.1:3000/hook' }, 'task'))).toBeUndefined()
  })

  // rules: models.own-endpoint, speech.model, dialogue.model, transcription.model, voice-generation.model
  test.each(['svc-tts-1.5-flash', 'svc-ttsd-1.0', 'svc-transcribe-1.0', 'svc-voice-generator-1.0'])(
    'takes %s only if it is its own',
    (model) => {
      const [own] = String(Reflect.get(body, 'model')).split(/-\d|-diarize/)
      const found = refusal(() => check({ ...body, model }, 'answer'))
      expect(found).toEqual(model.startsWith(`${own}-`) ? undefined : { code: 'unsupported_for_model', param: 'model' })
    },
  )

  // rules: model.id-use, voice-generation.models-open
  test('an unknown model goes to the service', () => {
    expect(refusal(() => check({ ...body, model: 'vendor-9' }, 'answer'))).toBeUndefined()
  })
})

describe('interface: POST /v1/audio/speech/speakers', () => {
  const wrong: readonly Wrong[] = [
    // rules: dialogue.speakers
    [{ speakers: undefined }, 'missing_required_field', 'speakers'],
    [{ speakers: [] }, 'missing_required_field', 'speakers'],
    [{ speakers: 'ann' }, 'missing_required_field', 'speakers'],
    [{ speakers: ['ann'] }, 'missing_required_field', 'speakers'],
    // rules: dialogue.speaker-fields
    [{ speakers: [{ voice_id: 'v' }] }, 'missing_required_field', 'speakers[0].id'],
    [{ speakers: [{ id: 'ann' }] }, 'missing_required_field', 'speakers[0].voice_id'],
    // rules: speech.voice-id-only
    [{ speakers: [{ id: 'ann', voice_id: 'v', voice_url: 'https://x.example' }] }, 'unsupported_field', 'voice_url'],
    [{ speakers: [...DIALOGUE.speakers, ...DIALOGUE.speakers] }, 'duplicate_speaker', 'speakers[1].id'],
    // rules: dialogue.segments
    [{ segments: [] }, 'missing_required_field', 'segments'],
    // rules: dialogue.segment-speaker
    [{ segments: [{ text: 'Hello.' }] }, 'missing_required_field', 'segments[0].speaker'],
    // rules: dialogue.segment-text
    [{ segments: [{ speaker: 'ann', text: ' ' }] }, 'missing_required_field', 'segments[0].text'],
    // "must equal one of speakers[].id"
    // rules: dialogue.segment-speaker
    [{ segments: [{ speaker: 'Ann', text: 'Hello.' }] }, 'unknown_speaker', 'segments[0].speaker'],
    // "supported only by svc-tts-1.5-flash"
    // rules: speech.pause-flash-only
    [{ segments: [{ speaker: 'ann', text: '[pause 1.0s]' }] }, 'unsupported_for_model', 'segments[0].text'],
    [{ delivery_method: 'url' }, 'unsupported_field', 'delivery_method'],
    // rules: dialogue.aigc
    [{ aigc_metadata: true }, 'invalid_type', 'aigc_metadata'],
  ]

  test.each(wrong)('%j is %s / %s', (change, code, param) => {
    expect(refusal(() => checkDialogue({ ...DIALOGUE, ...change }, 'answer'))).toEqual({ code, param })
  })
})

describe('interface: POST /v1/audio/voice/generations', () => {
  test.each<Wrong>([
    // rules: voice-generation.input
    [{ input: '' }, 'missing_required_field', 'input'],
    // rules: voice-generation.instruction
    [{ instruction: undefined }, 'missing_required_field', 'instruction'],
    [{ instruction: ' ' }, 'missing_required_field', 'instruction'],
    // rules: speech.pause-flash-only
    [{ input: 'a [pause 1.0s]' }, 'unsupported_for_model', 'input'],
    [{ response_format: 3 }, 'invalid_type', 'response_format'],
  ])('%j is %s / %s', (change, code, param) => {
    expect(refusal(() => checkVoiceGeneration({ ...GENERATION, ...change }, 'answer'))).toEqual({ code, param })
  })
})

// rules: speech.aigc-fields
describe('interface: aigc_metadata', () => {
  test.each<Wrong>([
    [{ aigc_metadata: null }, 'invalid_type', 'aigc_metadata'],
    [{ aigc_metadata: [] }, 'invalid_type', 'aigc_metadata'],
    [{ aigc_metadata: { enabled: 'yes' } }, 'invalid_type', 'enabled'],
    [{ aigc_metadata: { content_propagator: 1 } }, 'invalid_type', 'content_propagator'],
    [{ aigc_metadata: { propagate_id: {} } }, 'invalid_type', 'propagate_id'],
  ])('%j is %s / %s', (change, code, param) => {
    expect(refusal(() => checkSpeech({ ...SPEECH, ...change }, 'answer'))).toEqual({ code, param })
  })
})

describe('interface: POST /v1/audio/transcriptions with stream', () => {
  const check = (change: object): unknown =>
    refusal(() => checkTranscription({ ...TRANSCRIPTION, ...change }, 'stream'))

  // rules: transcription.stream
  test('takes the multi-speaker model, and unknown ones', () => {
    expect(check({})).toBeUndefined()
    expect(check({ stream: true, keyterms: ['svc'], model: 'vendor-9' })).toBeUndefined()
  })

  test.each<Wrong>([
    // rules: transcription.stream
    [{ model: 'svc-transcribe-1.0' }, 'unsupported_stream', 'stream'],
    [{ stream: false }, 'invalid_value', 'stream'],
    [{ async: true }, 'unsupported_field', 'async'],
    [{ webhook_url: 'https://example.com' }, 'unsupported_field', 'webhook_url'],
    [{ response_format: 'text' }, 'unsupported_with_stream', 'response_format'],
  ])('%j is %s / %s', (change, code, param) => {
    expect(check(change)).toEqual({ code, param })
  })
})

// "must not point to localhost, a loopback address or a private network address"
// rules: transcription.url-public, transcription.audio-url
test.each(['http://localhost/a', 'http://127.1/a', 'http://0x7f000001/', 'http://[::ffff:10.0.0.1]/a', 'http://nas/a'])(
  'the source %s is refused, as url and as audio_url',
  (url) => {
    const { model } = TRANSCRIPTION
    expect(refusal(() => checkTranscription({ model, url }, 'answer'))).toEqual({ code: 'private_url', param: 'url' })
    const other = refusal(() => checkTranscription({ model, audio_url: url }, 'task'))
    expect(other).toEqual({ code: 'private_url', param: 'audio_url' })
  },
)

describe('interface: POST /v1/audio/voices', () => {
  const sample = { audio_sample: Uint8Array.of(1) }

  test.each<Wrong>([
    // rules: voice-creation.sample, errors.voice-body
    [{ audio_sample: undefined }, 'missing_required_field', 'audio_sample'],
    // "JSON, file ids, audio URLs and base64 are refused"
    // rules: voice-creation.sample-only, errors.voice-body
    [{ file_id: 'f' }, 'unsupported_field', 'file_id'],
    [{ audio_url: 'https://x.example/a' }, 'unsupported_field', 'audio_url'],
    [{ audio_data: 'UklGRg==' }, 'unsupported_field', 'audio_data'],
    // rules: voice-creation.texts
    [{ name: 1 }, 'invalid_type', 'name'],
    [{ description: {} }, 'invalid_type', 'description'],
  ])('%j is %s / %s', (change, code, param) => {
    expect(refusal(() => checkRequest('/v1/audio/voices', { ...sample, ...change }, 'answer'))).toEqual({ code, param })
  })

  test('a sample alone is enough', () => {
    expect(refusal(() => checkRequest('/v1/audio/voices', sample, 'answer'))).toBeUndefined()
  })
})

describe('interface: /v1/files', () => {
  test.each<Wrong>([
    // rules: file-listing.limit
    [{ limit: 0 }, 'invalid_range', 'limit'],
    [{ limit: 201 }, 'invalid_range', 'limit'],
    [{ limit: 1.5 }, 'invalid_range', 'limit'],
    // rules: file-listing.offset
    [{ offset: -1 }, 'invalid_range', 'offset'],
    [{ offset: 100_001 }, 'invalid_range', 'offset'],
    [{ purpose: 1 }, 'invalid_type', 'purpose'],
  ])('a list with %j is %s / %s', (query, code, param) => {
    expect(refusal(() => checkRequest('GET /v1/files', query, 'answer'))).toEqual({ code, param })
  })

  // rules: file-listing.limit, file-listing.offset
  test.each([{}, { limit: 1 }, { limit: 200, offset: 100_000, purpose: '' }])(
    'a list with %j is asked for',
    (query) => {
      expect(refusal(() => checkRequest('GET /v1/files', query, 'answer'))).toBeUndefined()
    },
  )

  // rules: file-upload.required-open
  test('a file is required, its purpose is not', () => {
    expect(refusal(() => checkRequest('/v1/files', {}, 'answer'))).toEqual({
      code: 'missing_required_field',
      param: 'file',
    })
    expect(refusal(() => checkRequest('/v1/files', { file: 'a.wav' }, 'answer'))).toBeUndefined()
    expect(refusal(() => checkRequest('/v1/files', { file: 'a.wav', purpose: 1 }, 'answer'))).toEqual({
      code: 'invalid_type',
      param: 'purpose',
    })
  })
})

// rules: voice-listing.limit, voice-listing.offset, voice.status-open
test.each<object>([{}, { limit: 1 }, { limit: 150 }, { offset: 0 }, { after: 'c', status: 'anything' }])(
  'interface: GET /v1/audio/voices, %j is sent',
  (query) => {
    expect(() => checkRequest('GET /v1/audio/voices', query, 'answer')).not.toThrow()
  },
)

// rules: voice-listing.limit, voice-listing.offset
test.each([
  [{ limit: 0 }, 'limit'],
  [{ limit: 151 }, 'limit'],
  [{ limit: 1.5 }, 'limit'],
  [{ limit: '20' }, 'limit'],
  [{ limit: Number.NaN }, 'limit'],
  [{ offset: -1 }, 'offset'],
  [{ offset: 0.5 }, 'offset'],
])('interface: GET /v1/audio/voices, "maximum 150": %j is invalid_range / %s', (query, param) => {
  expect(() => checkRequest('GET /v1/audio/voices', query, 'answer')).toThrow(
    expect.objectContaining({ name: 'InvalidRequestError', code: 'invalid_range', param }),
  )
})
