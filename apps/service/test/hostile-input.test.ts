import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeError } from '../src/http/log.ts'
import { errorOf, KEY, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

describe('an id of more than 100 characters', () => {
  const routes = [
    ['GET', '/v1/files/', 'file_not_found'],
    ['DELETE', '/v1/files/', 'file_not_found'],
    ['GET', '/v1/audio/tasks/', 'task_not_found'],
    ['GET', '/v1/audio/results/', 'result_not_found'],
  ] as const
  test.each(routes)('%s %s is 404 %s, with and without a key', async (method, path, code) => {
    for (const length of [101, 500, 8000]) {
      for (const headers of [{}, { authorization: `Bearer ${KEY}` }]) {
        const response = await fetch(service.url + path + 'a'.repeat(length), { method, headers })
        expect(response.headers.get('x-request-id')).toBeTruthy()
        expect(await errorOf(response)).toMatchObject({ status: 404, code })
      }
    }
  })
})

describe('a log line', () => {
  test('bounds the texts of an error and its causes', () => {
    const cause = new Error('c'.repeat(100_000), { cause: new Error('d'.repeat(100_000)) })
    const error = Object.assign(new Error('m'.repeat(100_000), { cause }), { path: 'p'.repeat(100_000), code: 'CODE' })
    const line = JSON.stringify(describeError(error))
    expect(line.length).toBeLessThan(50_000)
    expect(line).toContain('"code":"CODE"')
    expect(line).toContain('ccc')
  })

  test('does not shorten a short error', () => {
    expect(describeError(new TypeError('why'))).toMatchObject({ type: 'TypeError', message: 'why' })
  })
})

describe('deeply nested JSON', () => {
  const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  const post = (path: string, levels: number, headers: Record<string, string>) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      body: `{"model":"svc-tts-1.5-flash","input":"Hi","voice_id":"rms","extra":${deep(levels)}}`,
    })

  test.each([101, 5000, 100_000])('%i levels with an Idempotency-Key are 400', async (levels) => {
    const response = await post('/v1/audio/speech', levels, { 'idempotency-key': `deep-${levels}` })
    expect(await errorOf(response)).toMatchObject({ status: 400, code: 'invalid_json' })
  })

  test('90 levels with an Idempotency-Key are accepted', async () => {
    expect((await post('/v1/audio/speech', 90, { 'idempotency-key': 'shallow' })).status).toBe(200)
  })
})
