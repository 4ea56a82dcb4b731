import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { parseByteRange, sendAudio } from './send-audio.ts'

const AUDIO = Uint8Array.from({ length: 100 }, (_, index) => index)
const ETAG = '"0123abcd"'

interface Answer {
  status: number
  readonly headers: Record<string, unknown>
  body: Uint8Array | undefined
}

/** The response to a request with these headers. */
function answerTo(headers: IncomingHttpHeaders, method = 'GET'): Answer {
  const answer: Answer = { status: 0, headers: {}, body: undefined }
  const response = {
    setHeader: (name: string, value: unknown) => void (answer.headers[name] = value),
    writeHead(status: number, more: object = {}) {
      answer.status = status
      Object.assign(answer.headers, more)
      return response
    },
    end: (body?: Uint8Array) => void (answer.body = body),
  }
  const request = { headers, method } as IncomingMessage
  sendAudio(request, response as unknown as ServerResponse, { audio: AUDIO, type: 'audio/flac', sha256: '0123abcd' })
  return answer
}

describe('the response', () => {
  test('the response to a request is the whole audio, revalidated each time', () => {
    expect(answerTo({})).toEqual({
      status: 200,
      headers: {
        'Accept-Ranges': 'bytes',
        'Cache-Control': 'no-cache',
        ETag: ETAG,
        'Content-Type': 'audio/flac',
        'Content-Length': 100,
      },
      body: AUDIO,
    })
  })

  test('the response to HEAD has the headers without the audio', () => {
    const { body, ...head } = answerTo({ range: 'bytes=10-19' }, 'HEAD')
    const { body: audio, ...get } = answerTo({ range: 'bytes=10-19' })
    expect(head).toEqual(get)
    expect([body, audio]).toEqual([undefined, AUDIO.subarray(10, 20)])
  })

  test.each([
    ['bytes=0-0', 'bytes 0-0/100', 0, 1],
    ['bytes=90-', 'bytes 90-99/100', 90, 100],
    ['bytes=-1', 'bytes 99-99/100', 99, 100],
  ])('the response to %s is %s', (range, contentRange, from, to) => {
    const { status, headers, body } = answerTo({ range })
    expect([status, headers['Content-Range'], headers['Content-Length']]).toEqual([206, contentRange, to - from])
    expect(body).toEqual(AUDIO.subarray(from, to))
  })

  test('the response to a range beyond the end tells the size', () => {
    const { status, headers, body } = answerTo({ range: 'bytes=100-' })
    expect([status, headers['Content-Range'], body]).toEqual([416, 'bytes */100', undefined])
  })

  test.each([
    [ETAG, 304],
    [`W/${ETAG}`, 304],
    [`"other", W/${ETAG}`, 304],
    [' * ', 304],
    ['"other"', 200],
    ['0123abcd', 200],
    ['', 200],
  ])('the response to If-None-Match %s is %i', (etag, status) => {
    expect(answerTo({ 'if-none-match': etag }).status).toBe(status)
    // It comes before a range (RFC 9110 §13.2.2).
    expect(answerTo({ 'if-none-match': etag, range: 'bytes=500-' }).status).toBe(status === 304 ? 304 : 416)
  })

  test.each([
    [ETAG, 206],
    ['"other"', 200],
    [`W/${ETAG}`, 200],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 200],
  ])('the response to If-Range %s is %i', (ifRange, status) => {
    expect(answerTo({ 'if-range': ifRange, range: 'bytes=0-9' }).status).toBe(status)
  })
})

test.each([
  [undefined, 'whole'],
  ['bytes=0-9', { first: 0, last: 9 }],
  ['Bytes= 5-5 ', { first: 5, last: 5 }],
  ['bytes=90-', { first: 90, last: 99 }],
  ['bytes=90-200', { first: 90, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-200', { first: 0, last: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=100-200', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=-', 'whole'],
  ['bytes=9-5', 'whole'],
  ['bytes=0-1,5-6', 'whole'],
  ['items=0-9', 'whole'],
  ['bytes=a-b', 'whole'],
])('%s of 100 bytes is %o', (header, range) => {
  expect(parseByteRange(header, 100)).toEqual(range)
})
