import { expect, test } from 'vitest'
import type { Exchange } from './exchange.ts'
import { exchangeCurl, harOf } from './inspector.tsx'

const EXCHANGE: Exchange = {
  id: 1,
  method: 'POST',
  path: '/v1/audio/speech?x=1',
  began: new Date(0),
  requestHeaders: { authorization: 'Bearer $SVC_AUDIO_API_KEY', 'content-type': 'application/json' },
  requestBody: '{\n  "input": "It\'s $5"\n}',
  state: 'done',
  status: 200,
  responseHeaders: { 'content-type': 'application/json' },
  headersMs: 10,
  firstByteMs: 20,
  endMs: 40,
  bytes: 7,
  events: [],
  eventCount: 0,
  responseBody: '{"a":1}',
  error: undefined,
}

test('a command sends the JSON of a request again, with the key of the environment', () => {
  expect(exchangeCurl(EXCHANGE)).toBe(`curl --fail-with-body "$SVC_AUDIO_BASE_URL/v1/audio/speech?x=1" \\
  --header "Authorization: Bearer $SVC_AUDIO_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data-binary @- <<'JSON'
{
  "input": "It's $5"
}
JSON
`)
})

test.each([
  ['GET', ''],
  ['DELETE', ' \\\n  --request DELETE'],
  ['POST', ' \\\n  --request POST'],
])('a command of %s without a body has none', (method, rest) => {
  const command = exchangeCurl({ ...EXCHANGE, method, path: '/v1/files/file_1', requestBody: undefined })
  expect(command).toBe(`curl --fail-with-body "$SVC_AUDIO_BASE_URL/v1/files/file_1" \\
  --header "Authorization: Bearer $SVC_AUDIO_API_KEY"${rest}
`)
})

test.each([
  ['a form', 'multipart/form-data, 1,234 bytes'],
  ['a shortened body', '{\n  "input": "long'],
])('%s has no command: it would send something else', (_what, requestBody) => {
  expect(exchangeCurl({ ...EXCHANGE, requestBody })).toBeUndefined()
})

test('a HAR file has the requests from the oldest on, with their times and without the key', () => {
  const event = { atMs: 12, type: 'speech.audio.done', data: '{"type":"speech.audio.done"}', bytes: 30 }
  const failed = { ...EXCHANGE, state: 'failed', status: undefined, endMs: undefined, error: 'refused' } as const
  const text = harOf([failed, { ...EXCHANGE, events: [event], responseBody: '' }, EXCHANGE], 'http://127.0.0.1:5173')
  const { log } = JSON.parse(text)
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'svc-audio playground' } })
  expect(log.entries).toMatchObject([
    {
      startedDateTime: '1970-01-01T00:00:00.000Z',
      time: 40,
      request: {
        method: 'POST',
        url: 'http://127.0.0.1:5173/api/v1/audio/speech?x=1',
        queryString: [{ name: 'x', value: '1' }],
        postData: { mimeType: 'application/json', text: EXCHANGE.requestBody },
      },
      response: { status: 200, content: { size: 7, mimeType: 'application/json', text: '{"a":1}' } },
      timings: { send: 0, wait: 10, receive: 30 },
    },
    { response: { content: { text: 'data: {"type":"speech.audio.done"}\n\n' } } },
    { time: 10, response: { status: 0 }, comment: 'refused' },
  ])
  expect(text).toContain('Bearer $SVC_AUDIO_API_KEY')
})
