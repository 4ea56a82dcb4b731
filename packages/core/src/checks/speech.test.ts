import { describe, expect, test } from 'vitest'
import { InvalidRequestError } from '../errors.ts'
import { checkSpeech, checkSpeechStream } from './speech.ts'

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'v' }
const STREAM = { model: 'svc-tts-1.5-flash', input: 'Hello' }

type Case = [change: object, code: string, param: string]

function refusal(check: (body: object) => void, body: object): unknown {
  try {
    check(body)
    return undefined
  } catch (error) {
    return error
  }
}

const REQUIRED = ['missing', null, 7, '', ' \n\t ']

describe('interface: POST /v1/audio/speech', () => {
  const wrong: readonly Case[] = [
    // rules: speech.model, speech.input, speech.voice-id
    ...['model', 'input', 'voice_id'].flatMap((param) =>
      REQUIRED.map((value): Case => [
        { [param]: value === 'missing' ? undefined : value },
        'missing_required_field',
        param,
      ]),
    ),
    // "voice URL, voice file, base64 data, inline or reference audio are not accepted"
    // rules: speech.voice-id-only
    [{ voice_url: 'https://example.com/v.wav' }, 'unsupported_field', 'voice_url'],
    [{ voice_data: 'UklGRg==' }, 'unsupported_field', 'voice_data'],
    [{ file_id: 'file-1' }, 'unsupported_field', 'file_id'],
    // one method per outcome
    [{ stream: true }, 'unsupported_field', 'stream'],
    [{ stream: false }, 'unsupported_field', 'stream'],
    [{ async: true }, 'unsupported_field', 'async'],
    [{ delivery_method: 'url' }, 'unsupported_field', 'delivery_method'],
    [{ webhook_url: 'https://example.com/hook' }, 'unsupported_field', 'webhook_url'],
    // rules of the stream only
    [{ speed: 1 }, 'unsupported_field', 'speed'],
    [{ language: 'en' }, 'unsupported_field', 'language'],
    [{ expected_duration_sec: 3 }, 'unsupported_field', 'expected_duration_sec'],
    // rules: models.own-endpoint
    // models of other endpoints
    ...[
      'svc-ttsd-1.0',
      'svc-ttsd-1.0-2026-03-20',
      'svc-transcribe-1.0',
      'svc-transcribe-diarize-pro',
      'svc-voice-generator-1.0',
    ].map((model): Case => [{ model }, 'unsupported_for_model', 'model']),
    // "supported only by svc-tts-1.5-flash", "X.Y from 0.1 to 10.0 seconds"
    // rules: speech.pause-flash-only
    [{ model: 'svc-tts-1.0-pro', input: 'One.[pause 1.0s]Two.' }, 'unsupported_for_model', 'input'],
    // rules: speech.pause-range
    [{ input: 'One.[pause 0.0s]Two.' }, 'invalid_range', 'input'],
    [{ input: 'One.[pause 10.1s]Two.' }, 'invalid_range', 'input'],
  ]

  test.each(wrong)('%j is %s / %s', (change, code, param) => {
    const error = refusal((body) => checkSpeech(body, 'answer'), { ...SPEECH, ...change })
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code, param })
  })

  test.each<object>([
    {},
    // rules: speech.model
    { model: 'svc-tts-1.0-pro' },
    // rules: models.snapshots, speech.model
    { model: 'svc-tts-1.5-flash-2026-01-15' },
    { model: 'svc-tts-1.0-pro-2026-01-15', input: 'One.[pause 1.0s]Two.' },
    { model: 'vendor-tts-9', input: 'One.[pause 99s]Two.' },
    // rules: speech.pause-range
    { input: 'One.[pause 0.1s]Two.[pause 10.0s]Three.' },
    { input: '  padded  ' },
    // rules: speech.response-format
    { response_format: 'mp3' },
    { response_format: 'vendor-format' },
    // rules: speech.aigc-fields
    { aigc_metadata: { enabled: true, content_propagator: 'x', propagate_id: 'y' } },
    { a_new_field: 1 },
  ])('%j is sent', (change) => {
    expect(() => checkSpeech({ ...SPEECH, ...change }, 'answer')).not.toThrow()
  })
})

describe('interface: Streaming speech parameter errors', () => {
  const wrong: readonly Case[] = [
    // rules: stream.input, errors.stream-input
    ...['model', 'input'].flatMap((param) =>
      REQUIRED.map((value): Case => [
        { [param]: value === 'missing' ? undefined : value },
        'missing_required_field',
        param,
      ]),
    ),
    // rules: stream.response-format, errors.stream-response-format
    ...['mp3', 'wav', 'PCM', '', null].map((response_format): Case => [
      { response_format },
      'unsupported_response_format',
      'response_format',
    ]),
    // rules: stream.stream-format, errors.stream-unsupported
    ...['raw', 'SSE', '', null].map((stream_format): Case => [{ stream_format }, 'unsupported_stream', 'stream']),
    // rules: stream.model-exact, errors.stream-unsupported, errors.stream-others
    ...['svc-tts-1.0-pro', 'svc-ttsd-1.0', 'svc-transcribe-1.0', 'svc-voice-generator-1.0'].map((model): Case => [
      { model },
      'unsupported_stream',
      'stream',
    ]),
    // rules: stream.endpoint
    [{ stream: false }, 'invalid_value', 'stream'],
    // rules: stream.no-sample-rate, errors.stream-sample-rate
    [{ sample_rate: 24_000 }, 'unsupported_for_stream', 'sample_rate'],
    // rules: stream.speed-range, errors.stream-speed
    ...[0.249, 4.001, 0, -1, Number.NaN, Infinity].map((speed): Case => [{ speed }, 'invalid_range', 'speed']),
    [{ speed: '1' }, 'invalid_type', 'speed'],
    // rules: stream.no-async, errors.stream-async
    [{ async: true }, 'unsupported_with_async', 'stream'],
    // rules: stream.no-webhook, errors.stream-webhook
    [{ webhook_url: 'https://example.com/hook' }, 'unsupported_with_webhook', 'stream'],
    // "expected_duration_sec not greater than 0"
    // rules: stream.expected-duration, errors.stream-others
    ...[0, -1, Number.NaN, Infinity].map((expected_duration_sec): Case => [
      { expected_duration_sec },
      'invalid_range',
      'expected_duration_sec',
    ]),
    [{ expected_duration_sec: '3' }, 'invalid_type', 'expected_duration_sec'],
    // "voice_url, voice_data, file_id are unsupported; delivery_method must not be passed"
    // rules: stream.no-other-voices, errors.stream-others
    [{ voice_url: 'https://example.com/v.wav' }, 'unsupported_field', 'voice_url'],
    [{ voice_data: 'UklGRg==' }, 'unsupported_field', 'voice_data'],
    [{ file_id: 'file-1' }, 'unsupported_field', 'file_id'],
    // rules: stream.no-delivery-method
    [{ delivery_method: 'audio' }, 'unsupported_field', 'delivery_method'],
    // rules: stream.pauses
    [{ input: '[pause 0.0s]' }, 'invalid_range', 'input'],
    [{ input: 'One.[pause 10.1s]' }, 'invalid_range', 'input'],
  ]

  test.each(wrong)('%j is %s / %s', (change, code, param) => {
    const error = refusal(checkSpeechStream, { ...STREAM, ...change })
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code, param })
  })

  test.each<object>([
    // rules: stream.voice-optional
    {},
    { voice_id: 'v', language: ' en ', stream: true, response_format: 'pcm' },
    { stream_format: 'audio' },
    { stream_format: 'sse' },
    // rules: stream.speed-range
    { speed: 0.25 },
    { speed: 4 },
    { expected_duration_sec: 0.001 },
    // rules: errors.stream-sample-rate, errors.stream-webhook, errors.stream-async
    // the table refuses non-zero, non-empty and true values only
    { sample_rate: 0 },
    { webhook_url: '' },
    { async: false },
    // rules: stream.pauses
    { input: 'One.[pause 0.1s]Two.[pause 10.0s]' },
    { model: 'vendor-tts-9' },
    // rules: stream.aigc
    { aigc_metadata: { enabled: false } },
  ])('%j is sent', (change) => {
    expect(() => checkSpeechStream({ ...STREAM, ...change })).not.toThrow()
  })

  // rules: stream.model-exact
  test('case is not normalized: another spelling of the id is not the known model, so the service decides', () => {
    expect(() => checkSpeechStream({ ...STREAM, model: 'SVC-TTS-1.5-FLASH' })).not.toThrow()
  })
})
