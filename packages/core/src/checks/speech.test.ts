import { describe, expect, test } from 'vitest'
import { InvalidRequestError } from '../errors/invalid-request-error.ts'
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
    ...['model', 'input', 'voice_id'].flatMap((param) =>
      REQUIRED.map((value): Case => [
        { [param]: value === 'missing' ? undefined : value },
        'missing_required_field',
        param,
      ]),
    ),
    // "voice URL, voice file, base64 data, inline or reference audio are not accepted"
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
    // models of other endpoints
    ...[
      'svc-ttsd-1.0',
      'svc-ttsd-1.0-2026-03-20',
      'svc-transcribe-1.0',
      'svc-transcribe-diarize-pro',
      'svc-voice-generator-1.0',
    ].map((model): Case => [{ model }, 'unsupported_for_model', 'model']),
    // "supported only by svc-tts-1.5-flash", "X.Y from 0.1 to 10.0 seconds"
    [{ model: 'svc-tts-1.0-pro', input: 'One.[pause 1.0s]Two.' }, 'unsupported_for_model', 'input'],
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
    { model: 'svc-tts-1.0-pro' },
    { model: 'svc-tts-1.5-flash-2026-01-15' },
    { model: 'svc-tts-1.0-pro-2026-01-15', input: 'One.[pause 1.0s]Two.' },
    { model: 'vendor-tts-9', input: 'One.[pause 99s]Two.' },
    { input: 'One.[pause 0.1s]Two.[pause 10.0s]Three.' },
    { input: '  padded  ' },
    { response_format: 'mp3' },
    { response_format: 'vendor-format' },
    { aigc_metadata: { enabled: true, content_propagator: 'x', propagate_id: 'y' } },
    { a_new_field: 1 },
  ])('%j is sent', (change) => {
    expect(() => checkSpeech({ ...SPEECH, ...change }, 'answer')).not.toThrow()
  })
})

describe('interface: Streaming speech parameter errors', () => {
  const wrong: readonly Case[] = [
    ...['model', 'input'].flatMap((param) =>
      REQUIRED.map((value): Case => [
        { [param]: value === 'missing' ? undefined : value },
        'missing_required_field',
        param,
      ]),
    ),
    ...['mp3', 'wav', 'PCM', '', null].map((response_format): Case => [
      { response_format },
      'unsupported_response_format',
      'response_format',
    ]),
    ...['raw', 'SSE', '', null].map((stream_format): Case => [{ stream_format }, 'unsupported_stream', 'stream']),
    ...['svc-tts-1.0-pro', 'svc-ttsd-1.0', 'svc-transcribe-1.0', 'svc-voice-generator-1.0'].map((model): Case => [
      { model },
      'unsupported_stream',
      'stream',
    ]),
    [{ stream: false }, 'invalid_value', 'stream'],
    [{ sample_rate: 24_000 }, 'unsupported_for_stream', 'sample_rate'],
    ...[0.249, 4.001, 0, -1, Number.NaN, Infinity].map((speed): Case => [{ speed }, 'invalid_range', 'speed']),
    [{ speed: '1' }, 'invalid_type', 'speed'],
    [{ async: true }, 'unsupported_with_async', 'stream'],
    [{ webhook_url: 'https://example.com/hook' }, 'unsupported_with_webhook', 'stream'],
    // "expected_duration_sec not greater than 0"
    ...[0, -1, Number.NaN, Infinity].map((expected_duration_sec): Case => [
      { expected_duration_sec },
      'invalid_range',
      'expected_duration_sec',
    ]),
    [{ expected_duration_sec: '3' }, 'invalid_type', 'expected_duration_sec'],
    // "voice_url, voice_data, file_id are unsupported; delivery_method must not be passed"
    [{ voice_url: 'https://example.com/v.wav' }, 'unsupported_field', 'voice_url'],
    [{ voice_data: 'UklGRg==' }, 'unsupported_field', 'voice_data'],
    [{ file_id: 'file-1' }, 'unsupported_field', 'file_id'],
    [{ delivery_method: 'audio' }, 'unsupported_field', 'delivery_method'],
    [{ input: '[pause 0.0s]' }, 'invalid_range', 'input'],
    [{ input: 'One.[pause 10.1s]' }, 'invalid_range', 'input'],
  ]

  test.each(wrong)('%j is %s / %s', (change, code, param) => {
    const error = refusal(checkSpeechStream, { ...STREAM, ...change })
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code, param })
  })

  test.each<object>([
    {},
    { voice_id: 'v', language: ' en ', stream: true, response_format: 'pcm' },
    { stream_format: 'audio' },
    { stream_format: 'sse' },
    { speed: 0.25 },
    { speed: 4 },
    { expected_duration_sec: 0.001 },
    // the table refuses non-zero, non-empty and true values only
    { sample_rate: 0 },
    { webhook_url: '' },
    { async: false },
    { input: 'One.[pause 0.1s]Two.[pause 10.0s]' },
    { model: 'vendor-tts-9' },
    { aigc_metadata: { enabled: false } },
  ])('%j is sent', (change) => {
    expect(() => checkSpeechStream({ ...STREAM, ...change })).not.toThrow()
  })

  test('case is not normalized: another spelling of the id is not the known model, so the service decides', () => {
    expect(() => checkSpeechStream({ ...STREAM, model: 'SVC-TTS-1.5-FLASH' })).not.toThrow()
  })
})
