import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const valid = {
  model: 'svc-tts-1.5-flash',
  input: 'Hello there.',
  voice_id: 'rms',
  stream: true,
  response_format: 'pcm',
}

/** Sends a streaming request and checks that it was refused before any work. */
async function refusal(body: object): Promise<{ status: number; code: string; param: string | null }> {
  const tasks = service.countTasks()
  const response = await service.request('POST', '/v1/audio/speech', body)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  const error = await errorOf(response)
  expect(service.countTasks()).toBe(tasks)
  expect(await service.list('results')).toEqual([])
  return error
}

describe('interface: streaming speech parameter errors', () => {
  const rows: [rule: string, change: object, code: string, param: string][] = [
    // rules: errors.stream-input, stream.input, errors.before-response, errors.json
    ['input missing', { input: undefined }, 'missing_required_field', 'input'],
    ['input empty', { input: '' }, 'missing_required_field', 'input'],
    // rules: errors.stream-input, stream.input
    ['input empty after trimming', { input: ' \n\t ' }, 'missing_required_field', 'input'],
    // rules: errors.stream-response-format, stream.response-format
    ['response_format absent', { response_format: undefined }, 'unsupported_response_format', 'response_format'],
    ['response_format mp3', { response_format: 'mp3' }, 'unsupported_response_format', 'response_format'],
    ['response_format in capitals', { response_format: 'PCM' }, 'unsupported_response_format', 'response_format'],
    // rules: errors.stream-unsupported, stream.stream-format
    ['stream_format neither audio nor sse', { stream_format: 'ndjson' }, 'unsupported_stream', 'stream'],
    ['stream_format empty', { stream_format: '' }, 'unsupported_stream', 'stream'],
    // rules: errors.stream-unsupported, stream.model-exact
    ['a model that does not stream', { model: 'svc-tts-1.0-pro' }, 'unsupported_stream', 'stream'],
    ['a snapshot of the flash model', { model: 'svc-tts-1.5-flash-2026-11-21' }, 'unsupported_stream', 'stream'],
    ['a transcription model', { model: 'svc-transcribe-1.0' }, 'unsupported_stream', 'stream'],
    // rules: errors.stream-sample-rate, stream.no-sample-rate
    ['sample_rate not zero', { sample_rate: 16_000 }, 'unsupported_for_stream', 'sample_rate'],
    // rules: errors.stream-speed, stream.speed-range
    ['speed too slow', { speed: 0.249 }, 'invalid_range', 'speed'],
    ['speed too fast', { speed: 4.01 }, 'invalid_range', 'speed'],
    ['speed negative', { speed: -1 }, 'invalid_range', 'speed'],
    // rules: errors.stream-async, stream.no-async
    ['async together with stream', { async: true }, 'unsupported_with_async', 'stream'],
    // rules: errors.stream-webhook, stream.no-webhook
    ['webhook_url on a stream', { webhook_url: 'https://example.com/x' }, 'unsupported_with_webhook', 'stream'],
  ]
  test.each(rows)('%s is refused before any work', async (_rule, change, code, param) => {
    expect(await refusal({ ...valid, ...change })).toEqual({ status: 400, code, param })
  })
})

describe('interface: other rules of streaming speech', () => {
  const rows: [rule: string, change: object, status: number, code: string, param: string][] = [
    // rules: errors.stream-others, stream.expected-duration
    ['expected_duration_sec zero', { expected_duration_sec: 0 }, 400, 'invalid_range', 'expected_duration_sec'],
    ['expected_duration_sec negative', { expected_duration_sec: -2 }, 400, 'invalid_range', 'expected_duration_sec'],
    [
      'expected_duration_sec of a day',
      { expected_duration_sec: 86_400 },
      400,
      'invalid_range',
      'expected_duration_sec',
    ],
    // rules: errors.stream-others, stream.model-exact
    ['the model in other case', { model: 'SVC-TTS-1.5-Flash' }, 404, 'model_not_found', 'model'],
    // rules: errors.stream-others, stream.no-other-voices
    ['voice_url', { voice_url: 'https://example.com/a.wav' }, 400, 'unsupported_field', 'voice_url'],
    ['voice_data', { voice_data: 'AAAA' }, 400, 'unsupported_field', 'voice_data'],
    ['file_id', { file_id: 'file_1' }, 400, 'unsupported_field', 'file_id'],
    // rules: stream.pauses, speech.pause-range
    ['a pause of 0 s', { input: 'A [pause 0.0s] b.' }, 400, 'invalid_range', 'input'],
    ['a pause that is no number', { input: 'A [pause NaNs] b.' }, 400, 'invalid_range', 'input'],
    ['SSML', { input: 'A <break time="1s"/> b.' }, 400, 'unsupported_markup', 'input'],
    ['a pause of 10.1 s', { input: 'A [pause 10.1s] b.' }, 400, 'invalid_range', 'input'],
    ['an unknown voice', { voice_id: 'nobody' }, 404, 'voice_not_found', 'voice_id'],
    ['a language no engine has', { language: ' fr ' }, 400, 'unsupported_language', 'language'],
    ['a missing model', { model: undefined }, 400, 'missing_required_field', 'model'],
    ['a speed that is a string', { speed: 'fast' }, 400, 'invalid_type', 'speed'],
    ['an input that cannot be spoken', { input: '日本語 🎉' }, 400, 'unspeakable_text', 'input'],
    ['an input over the limit', { input: 'a'.repeat(100_001) }, 400, 'input_too_long', 'input'],
  ]
  test.each(rows)('%s is refused before any work', async (_rule, change, status, code, param) => {
    expect(await refusal({ ...valid, ...change })).toEqual({ status, code, param })
  })
})

describe('interface: what streaming speech accepts', () => {
  const rows: [rule: string, change: object][] = [
    // rules: stream.no-sample-rate
    ['sample_rate 0', { sample_rate: 0 }],
    // rules: stream.no-webhook
    ['an empty webhook_url', { webhook_url: '' }],
    // rules: stream.speed-range
    ['speed 0.25', { speed: 0.25 }],
    ['speed 4', { speed: 4 }],
    // rules: stream.language
    ['a language hint with spaces around it', { language: ' en-US ' }],
    // rules: stream.voice-optional
    ['no voice_id', { voice_id: undefined }],
    // rules: stream.no-delivery-method
    ['delivery_method, which has no effect', { delivery_method: 'url' }],
    // rules: stream.pauses, speech.pause-range
    ['pauses of 0.1 and 10.0 s', { input: 'A [pause 0.1s] b [pause 10.0s] c.' }],
  ]
  test.each(rows)('%s', async (_rule, change) => {
    const response = await service.request('POST', '/v1/audio/speech', { ...valid, ...change })
    expect(response.status).toBe(200)
    expect((await response.bytes()).byteLength).toBeGreaterThan(1000)
  })
})
