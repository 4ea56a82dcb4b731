import { describe, expect, test } from 'vitest'
import { describeBody, headersOf, HIDDEN_KEY, hideAudio, indent } from './exchange.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('headers', () => {
  test('headers of a request name the variable of the key, whatever key the page has', () => {
    expect(headersOf(new Headers({ Authorization: 'Bearer sk-1', Accept: 'audio/wav' }))).toEqual({
      accept: 'audio/wav',
      authorization: HIDDEN_KEY,
    })
  })

  test("headers of a response are the service's, without those of the playground's own server", () => {
    const own = {
      connection: 'keep-alive',
      'keep-alive': 'timeout=5',
      'transfer-encoding': 'chunked',
      'content-security-policy': "default-src 'self'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
    }
    const service = { 'content-type': 'audio/wav', 'x-request-id': 'req-1', 'retry-after': '3' }
    expect(headersOf(new Headers({ ...own, ...service }))).toEqual(service)
  })
})

describe('a body', () => {
  test.each([undefined, null])('%s is none', (body) => {
    expect(describeBody(body, 'application/json')).toBeUndefined()
  })

  test('a body of JSON is indented, as a text and as bytes', () => {
    const shown = '{\n  "input": "é"\n}'
    expect(describeBody('{"input":"é"}', 'application/json')).toBe(shown)
    expect(describeBody(bytes('{"input":"é"}'), 'application/json; charset=utf-8')).toBe(shown)
  })

  test('a body of JSON that is cut is shown as it is', () => {
    expect(describeBody('{"input":', 'application/json')).toBe('{"input":')
  })

  test('a body is shown up to 20,000 characters', () => {
    const body = JSON.stringify({ input: 'a'.repeat(30_000) })
    expect(describeBody(body, 'application/json')).toHaveLength(20_000)
  })

  test.each([
    [
      'a form in memory',
      new Blob(['a'.repeat(1234)]),
      'multipart/form-data; boundary=x',
      'multipart/form-data, 1,234 bytes',
    ],
    ['a form of bytes', bytes('a'.repeat(5)), 'multipart/form-data; boundary=x', 'multipart/form-data, 5 bytes'],
    ['an empty file', new Blob([]), 'audio/wav', 'audio/wav, 0 bytes'],
    ['a form of the browser', new FormData(), 'multipart/form-data', 'multipart/form-data'],
    ['a stream', new ReadableStream(), 'multipart/form-data; boundary=x', 'multipart/form-data'],
  ])('a body that is %s is described by its type and its size', (_case, body, type, text) => {
    expect(describeBody(body, type)).toBe(text)
  })
})

test.each([
  ['{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}'],
  ['7', '7'],
  ['', ''],
  ['Bad gateway', 'Bad gateway'],
  ['data: {"a":1}', 'data: {"a":1}'],
])('%j is indented only if it is JSON', (text, expected) => {
  expect(indent(text)).toBe(expected)
})

describe('the audio of an event', () => {
  test('the audio of an event is cut after 40 characters, and the rest of the event stays', () => {
    const event = `{"type":"speech.audio.delta","audio":"${'QUJD'.repeat(100)}","index":3}`
    expect(hideAudio(event)).toBe(`{"type":"speech.audio.delta","audio":"${'QUJD'.repeat(10)}…","index":3}`)
  })

  test.each([
    `{"audio":"${'A'.repeat(39)}"}`,
    '{"type":"speech.audio.done"}',
    `{"audio_url":"${'a'.repeat(60)}"}`,
    `{"text":"${'a'.repeat(60)}"}`,
  ])('the audio of an event is not cut in %s', (event) => {
    expect(hideAudio(event)).toBe(event)
  })

  test('the audio of an event is found with spaces around the colon', () => {
    expect(hideAudio(`{ "audio" : "${'A'.repeat(60)}" }`)).toBe(`{ "audio" : "${'A'.repeat(40)}…" }`)
  })
})
