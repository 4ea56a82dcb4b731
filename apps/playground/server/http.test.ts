import express from 'express'
import { afterEach, expect, test, vi } from 'vitest'
import { errorHandler, HttpError, type Listening, serve } from './http.ts'

const SECRET = 'sk-secret-1'

let server: Listening | undefined
afterEach(async () => {
  vi.restoreAllMocks()
  await server?.close()
})

/** Serves an app whose handler fails, and asks it. @returns the response, and what it logged */
async function fail(error: unknown): Promise<{ status: number; answer: unknown; log: string }> {
  let log = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    log += String(text)
    return true
  })
  const app = express().get('/', () => {
    throw error
  })
  server = await serve(app.use(errorHandler(SECRET)))
  const response = await fetch(server.url)
  return { status: response.status, answer: await response.json(), log }
}

test('an error for the user is answered as it is, and not logged', async () => {
  expect(await fail(new HttpError(404, 'audio_gone', 'Run it again.'))).toEqual({
    status: 404,
    answer: { error: { code: 'audio_gone', message: 'Run it again.' } },
    log: '',
  })
})

test('a failed integration is answered with its message, without the key and without a log', async () => {
  const { status, answer, log } = await fail(new HttpError(500, 'integration_failed', `401 for ${SECRET}, ${SECRET}`))
  expect(status).toBe(500)
  expect(answer).toEqual({ error: { code: 'integration_failed', message: '401 for [key], [key]' } })
  expect(log).toBe('')
})

test('an unexpected error is logged with its stack, without the key, and answered without its message', async () => {
  const { status, answer, log } = await fail(new Error(`no such table for ${SECRET}`))
  expect(status).toBe(500)
  expect(answer).toMatchObject({ error: { code: 'internal_error' } })
  expect(JSON.stringify(answer)).not.toContain('table')
  expect(log).toContain('no such table for [key]')
  expect(log).toContain('http.test.ts')
  expect(log).not.toContain(SECRET)
})

test('a thrown text is an unexpected error too', async () => {
  const { status, answer, log } = await fail('broken')
  expect([status, log]).toEqual([500, 'broken\n'])
  expect(JSON.stringify(answer)).not.toContain('broken')
})

test.each([
  [true, 413, 'bad_request'],
  [false, 500, 'internal_error'],
])('a parser error with expose %s is answered with %d', async (expose, status, code) => {
  const outcome = await fail(Object.assign(new Error('request entity too large'), { status: 413, expose }))
  expect(outcome.status).toBe(status)
  expect(outcome.answer).toMatchObject({ error: { code } })
})

test('JSON that is cut is a bad request of the client', async () => {
  const app = express().post('/', express.json(), (_request, response) => void response.send('never'))
  server = await serve(app.use(errorHandler(SECRET)))
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"text":',
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'bad_request' } })
})

test('an error after the headers cuts the response: a part is not taken for the whole', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const app = express().get('/', (_request, response) => {
    response.write('half')
    throw new Error('engine failed')
  })
  server = await serve(app.use(errorHandler(SECRET)))
  const response = await fetch(server.url).catch(() => undefined)
  await expect(response?.text() ?? Promise.reject(new Error('cut'))).rejects.toThrow(/terminated|cut|fetch failed/)
})
