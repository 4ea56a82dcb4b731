import { ApiError } from '@svc-audio/core'
import { afterEach, expect, test } from 'vitest'
import { ClientDisconnectedError, UploadError } from '../src/index.ts'
import { startApp, type TestApp } from './support/app.ts'

let app: TestApp | undefined
afterEach(() => app?.close())

/** An app with one failing route, which may write something before it fails. */
async function failing(error: unknown, { written = false } = {}): Promise<TestApp> {
  app = await startApp('http://127.0.0.1:1', (routes) => {
    routes.get('/', (_request, response, next) => {
      if (!written) next(error)
      else response.write('part', () => next(error))
    })
  })
  return app
}

test('a refused upload is answered with its status, code and message', async () => {
  const { url } = await failing(new UploadError('empty_file', 'The file is empty'))
  const response = await fetch(url)
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: { code: 'empty_file', message: 'The file is empty' } })
})

test('a fault of the server hides its message', async () => {
  const { url } = await failing(new UploadError('body_already_read', 'sekret'))
  const response = await fetch(url)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('sekret')
})

test('a disconnected client gets nothing', async () => {
  const { url, reported } = await failing(new ClientDisconnectedError())
  await expect(fetch(url)).rejects.toBeInstanceOf(TypeError)
  expect(reported).toMatchObject([{ status: 499, code: 'client_disconnected' }])
})

test('a started response is cut, not completed', async () => {
  const { url, reported } = await failing(new ApiError('sekret', { status: 500 }), { written: true })
  const response = await fetch(url)
  await expect(response.text()).rejects.toBeInstanceOf(TypeError)
  expect(reported).toMatchObject([{ status: 502 }])
})
