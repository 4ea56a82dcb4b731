import { ConnectionError } from '@svc-audio/core/pure'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { checkConnection } from '../shell/connection.ts'
import { ask } from './client.ts'

// Files share a worker: the modules of other files have no mock, and those of this file keep theirs to themselves.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())

vi.mock('../shell/connection.ts', () => ({ checkConnection: vi.fn<() => void>() }))

beforeEach(() => {
  vi.mocked(checkConnection).mockClear()
})

const answering =
  (response: Response): typeof fetch =>
  async () =>
    response

test('a response is its JSON, and the request is sent as it is', async () => {
  const send = vi.fn<typeof fetch>(answering(Response.json({ ms: 7 })))
  const init = { method: 'POST', body: '{}' }
  expect(await ask(send, '/api/integrations/express', init)).toEqual({ ms: 7 })
  expect(send).toHaveBeenCalledExactlyOnceWith('/api/integrations/express', init)
})

test.each([
  ['the message of the server', '{"error":{"code":"a","message":"The text is empty"}}', 'The text is empty'],
  ['the status for another JSON', '{"error":"no"}', 'The playground answered with status 400'],
  ['the status for a message of another type', '{"error":{"message":7}}', 'The playground answered with status 400'],
  ['the status for null', 'null', 'The playground answered with status 400'],
  ['the status for a page', '<h1>Bad</h1>', 'The playground answered with status 400'],
  ['the status for nothing', '', 'The playground answered with status 400'],
])('a refusal shows %s', async (_case, body, message) => {
  const refused = ask(answering(new Response(body, { status: 400 })), '/api/integrations', {})
  await expect(refused).rejects.toThrow(new Error(message))
  expect(checkConnection).not.toHaveBeenCalled()
})

test('no response is a lost connection with its cause, and is checked', async () => {
  const cause = new TypeError('fetch failed')
  const lost = ask(async () => Promise.reject(cause), '/api/integrations', {})
  await expect(lost).rejects.toMatchObject({ message: 'The playground does not answer', cause })
  await expect(lost).rejects.toSatisfy((error) => ConnectionError.isInstance(error))
  expect(checkConnection).toHaveBeenCalledOnce()
})

test("an abort of the page is the signal's reason and no lost connection", async () => {
  const controller = new AbortController()
  const send = async (): Promise<Response> => {
    controller.abort(new Error('stopped'))
    throw new TypeError('fetch failed')
  }
  await expect(ask(send, '/api/integrations', { signal: controller.signal })).rejects.toThrow('stopped')
  expect(checkConnection).not.toHaveBeenCalled()
})
