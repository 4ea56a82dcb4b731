import { expect, test } from 'vitest'
import { connect, rejection } from './support/clients.ts'
import { startServer } from './support/servers.ts'
import { SPEECH } from './support/speech.ts'

const TASK = { id: 't/1', object: 'audio.speech', status: 'FAILED', created_at: 1, updated_at: 2 }
const CREATION = { ...TASK, task_id: 't/1', status: 'PENDING' }

/** A service whose `DELETE` gives this response. */
const serve = (status: number, body: object) =>
  startServer((request, response) => {
    const [code, answer] = request.method === 'DELETE' ? [status, body] : [200, CREATION]
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })

test('cancel deletes the task and returns it', async () => {
  const server = await serve(200, { ...TASK, error: { code: 'task_cancelled' } })
  const client = connect(server.url)
  const task = await client.speech.createTask(SPEECH)
  expect(await task.cancel()).toMatchObject({ id: 't/1', status: 'FAILED', error: { code: 'task_cancelled' } })
  expect(await client.tasks.cancel('t/1')).toMatchObject({ id: 't/1' })
  expect(server.requests.slice(1).map(({ method, url }) => `${method} ${url}`)).toEqual([
    'DELETE /v1/audio/tasks/t%2F1',
    'DELETE /v1/audio/tasks/t%2F1',
  ])
})

test.each([404, 405])('a service without cancel: %i, with the request in the message', async (status) => {
  const server = await serve(status, {})
  const error = await rejection(connect(server.url).tasks.cancel('t-1'))
  expect(error).toMatchObject({ name: 'ApiError', status })
  expect(String(error)).toMatch(new RegExp(`DELETE .*/v1/audio/tasks/t-1 answered ${status}`))
})

test('an unknown task and other errors stay as they are', async () => {
  const unknown = await serve(404, { error: { code: 'task_not_found', message: 'No such task' } })
  const error = await rejection(connect(unknown.url).tasks.cancel('t-1'))
  expect(error).toMatchObject({ name: 'ApiError', status: 404, code: 'task_not_found' })
  const refusing = await serve(401, {})
  expect(await rejection(connect(refusing.url).tasks.cancel('t-1'))).toMatchObject({ status: 401 })
})

test('an empty id is refused before a request', async () => {
  const server = await serve(200, TASK)
  expect(await rejection(connect(server.url).tasks.cancel(''))).toMatchObject({ name: 'InvalidRequestError' })
  expect(server.requests).toHaveLength(0)
})
