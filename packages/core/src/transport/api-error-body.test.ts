import { describe, expect, test } from 'vitest'
import { errorFields, readApiError, retryAfterSeconds } from './api-error-body.ts'
import type { TransportResponse } from './transport.ts'

const same = (text: string): string => text

// rules: errors.body-open, errors.json
describe('interface: Errors, a structure that is not documented in full', () => {
  test.each([
    [
      'nested',
      { error: { code: 'c', message: 'm', param: 'p', type: 't' } },
      { code: 'c', message: 'm', param: 'p', type: 't' },
    ],
    ['flat', { code: 'c', message: 'm' }, { code: 'c', message: 'm' }],
    ['nested, code only', { error: { code: 'c' } }, { code: 'c' }],
    ['nested, with a number', { error: { code: 400, message: 'm' } }, { code: '400', message: 'm' }],
    ['nested string', { error: ' m ' }, { message: 'm' }],
    ['nested string beside a message', { error: 'Bad Request', message: 'm', statusCode: 400 }, { message: 'm' }],
    ['empty nested beside flat', { error: {}, message: 'm' }, { message: 'm' }],
    ['null nested beside flat', { error: null, code: 'c' }, { code: 'c' }],
    ['fields of other kinds', { error: { code: {}, message: ['m'], param: null } }, {}],
    ['empty strings', { error: { code: '', message: '' } }, {}],
    ['a bare string', ' m\n', { message: 'm' }],
    ['a blank string', '  ', {}],
    ['an array', [{ message: 'm' }], {}],
    ['a number', 7, {}],
    ['null', null, {}],
    ['nothing', undefined, {}],
  ])('%s', (_, body, fields) => {
    expect(errorFields(body, same)).toEqual(fields)
  })

  test('a long plain text is cut', () => {
    expect(errorFields('x'.repeat(10_000), same).message).toHaveLength(500)
  })

  test('every field is redacted', () => {
    const fields = { code: 'K', message: 'a K', param: 'K', type: 'K' }
    const hide = (text: string): string => text.replaceAll('K', '*')
    const hidden = { code: '*', message: 'a *', param: '*', type: '*' }
    expect(errorFields({ error: fields }, hide)).toEqual(hidden)
    expect(errorFields(fields, hide)).toEqual(hidden)
    expect(errorFields('bad K', hide).message).toBe('bad *')
    expect(errorFields({ error: 'bad K' }, hide).message).toBe('bad *')
  })

  test('an endlessly nested object is read to a fixed depth', () => {
    let deep: object = { message: 'm' }
    for (let level = 0; level < 100_000; level += 1) deep = { error: deep }
    expect(errorFields(deep, same)).toEqual({})
  })
})

describe('retryAfterSeconds', () => {
  const date = 'Tue, 04 Mar 2025 10:00:00 GMT'

  test.each([
    ['7', 7],
    [' 0 ', 0],
    ['1.5', 1.5],
    ['Tue, 04 Mar 2025 10:00:30 GMT', 30],
    ['Tuesday, 04-Mar-25 10:01:00 GMT', 60],
    ['Tue, 04 Mar 2025 09:00:00 GMT', 0],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    ['Tue, what', undefined],
    ['2025-03-04', undefined],
    [undefined, undefined],
  ])('%j is %j', (value, seconds) => {
    expect(retryAfterSeconds(value, date)).toBe(seconds)
  })

  test('a date is measured against this clock where the response has no usable one', () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    for (const absent of [undefined, 'nonsense']) {
      const seconds = retryAfterSeconds(inAMinute, absent)
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(60)
    }
  })
})

describe('readApiError', () => {
  /** A response from chunks; it tells how many were taken and whether it was left. */
  function respond(
    chunks: Iterable<Uint8Array>,
    status = 400,
  ): { response: TransportResponse; log: { taken: number; left: boolean } } {
    const log = { taken: 0, left: false }
    async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for (const chunk of chunks) {
          log.taken += 1
          yield chunk
        }
      } finally {
        log.left = true
      }
    }
    const body = { [Symbol.asyncIterator]: read, cancel: () => {}, release: () => {} }
    return { response: { status, headers: {}, body }, log }
  }

  test('an endless body is read to 64 KiB and then cancelled', async () => {
    function* endless(): Generator<Uint8Array, void, undefined> {
      for (;;) yield new Uint8Array(10_000).fill(120)
    }
    const { response, log } = respond(endless())
    expect((await readApiError(response, 'GET /x', same)).message).toContain('GET /x answered 400: xxx')
    expect(log).toEqual({ taken: 7, left: true })
  })

  test('a message split inside a character is decoded', async () => {
    const bytes = new TextEncoder().encode('{"error":{"message":"schön 语"}}')
    const { response } = respond(Array.from(bytes, (byte) => Uint8Array.of(byte)))
    expect((await readApiError(response, 'GET /x', same)).message).toBe('GET /x answered 400: schön 语')
  })

  test('a failed body still gives an error with its status', async () => {
    const { response } = respond(
      (function* fail(): Generator<Uint8Array, void, undefined> {
        yield new TextEncoder().encode('half a mes')
        throw new Error('reset')
      })(),
      503,
    )
    const error = await readApiError(response, 'GET /x', same)
    expect(error).toMatchObject({ status: 503, message: 'GET /x answered 503: half a mes', retryable: true })
  })

  test("the service's own message stands alone too", async () => {
    const body = '{"error":{"message":"too fast"}}'
    const { response } = respond([new TextEncoder().encode(body)])
    expect(await readApiError(response, 'POST /x', same)).toMatchObject({
      message: 'POST /x answered 400: too fast',
      serviceMessage: 'too fast',
    })
    expect((await readApiError(respond([]).response, 'POST /x', same)).serviceMessage).toBeUndefined()
  })

  test('the code of the body decides if the status does not', async () => {
    const body = '{"error":{"code":"idempotency_conflict","message":"m"}}'
    const { response } = respond([new TextEncoder().encode(body)], 409)
    expect(await readApiError(response, 'POST /x', same)).toMatchObject({ status: 409, retryable: false })
  })

  test.each([
    // rules: errors.status-open
    [408, true],
    [409, true],
    [429, true],
    [500, true],
    [503, true],
    [400, false],
    [401, false],
    [404, false],
    [413, false],
    [302, false],
  ])('status %d: the same request may succeed later is %j', async (status, retryable) => {
    const { response } = respond([], status)
    expect((await readApiError(response, 'GET /x', same)).retryable).toBe(retryable)
  })
})
