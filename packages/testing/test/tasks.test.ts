import { createHmac } from 'node:crypto'
import type { Task, TaskCreation } from '@svc-audio/core'
import { expect, test } from 'vitest'
import type { TestUpstream } from '../src/index.ts'
import { call, callJson, SPEECH, start } from './support/start.ts'

async function create(upstream: TestUpstream, fields: object = {}): Promise<TaskCreation> {
  return (await callJson(upstream, 'POST /v1/audio/speech', { ...SPEECH, async: true, ...fields })).body
}

async function poll(upstream: TestUpstream, id: string): Promise<Task & { url: string }> {
  return (await callJson(upstream, `GET /v1/audio/tasks/${id}`)).body
}

test('a task is pending, then processing, then has its result at the top level', async () => {
  let now = 10_000
  const upstream = await start({ polls: 3, retryAfter: 4, now: () => now })
  const created = await create(upstream, { response_format: 'wav' })
  expect(created).toEqual({
    id: created.task_id,
    task_id: expect.any(String),
    object: 'audio.speech',
    status: 'PENDING',
    retry_after: 4,
    created_at: 10,
    updated_at: 10,
  })
  const unfinished = { id: created.id, object: 'audio.speech', created_at: 10, retry_after: 4 }
  expect(await poll(upstream, created.id)).toEqual({ ...unfinished, status: 'PENDING', updated_at: 10 })
  now = 12_000
  expect(await poll(upstream, created.id)).toEqual({ ...unfinished, status: 'PROCESSING', updated_at: 12 })
  const done = await poll(upstream, created.id)
  expect(done).toMatchObject({ status: 'SUCCESS', response_format: 'wav', content_type: 'audio/wav' })
  expect(done).not.toHaveProperty('retry_after')
  expect((await fetch(done.url)).headers.get('content-type')).toBe('audio/wav')
  expect(await poll(upstream, created.id)).toEqual(done)
})

test('with two polls the first responses PROCESSING', async () => {
  const upstream = await start()
  const { id } = await create(upstream)
  expect(await poll(upstream, id)).toMatchObject({ status: 'PROCESSING', retry_after: 0 })
  expect(await poll(upstream, id)).toMatchObject({ status: 'SUCCESS' })
})

test('retry_after can be omitted', async () => {
  const upstream = await start({ retryAfter: undefined })
  const created = await create(upstream)
  expect(created).not.toHaveProperty('retry_after')
  expect(await poll(upstream, created.id)).not.toHaveProperty('retry_after')
})

test("a task fails with the test's error", async () => {
  const upstream = await start()
  upstream.nextTask({ polls: 1, error: { code: 'engine_failed', message: 'No voice' } }).nextTask({ polls: 1 })
  const [first, second] = [await create(upstream), await create(upstream)]
  const failed = await poll(upstream, first.id)
  expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'engine_failed', message: 'No voice' } })
  expect(failed).not.toHaveProperty('url')
  expect((await poll(upstream, second.id)).status).toBe('SUCCESS')
})

test('a plan applies to the next asynchronous task, not to the task of a stream', async () => {
  const upstream = await start()
  upstream.nextTask({ polls: 1, result: { extra: 'kept' } })
  const stream = { model: 'svc-tts-1.5-flash', input: 'x', stream: true, response_format: 'pcm', stream_format: 'sse' }
  await (await call(upstream, 'POST /v1/audio/speech', stream)).text()
  expect(await poll(upstream, (await create(upstream)).id)).toMatchObject({ status: 'SUCCESS', extra: 'kept' })
})

test('a task waits for completeTask', async () => {
  const upstream = await start({ polls: Infinity })
  const { id } = await create(upstream)
  for (const status of ['PENDING', 'PROCESSING', 'PROCESSING']) expect((await poll(upstream, id)).status).toBe(status)
  expect(await upstream.completeTask(id, { error: 'late' })).toMatchObject({ status: 'FAILED', error: 'late' })
  expect(await poll(upstream, id)).toMatchObject({ status: 'FAILED', error: 'late' })
  await expect(upstream.completeTask('task-none')).rejects.toThrow('There is no task task-none')
})

test('the next poll of a task replaces an expired URL', async () => {
  const upstream = await start({ polls: 1 })
  const { id } = await create(upstream)
  const before = await poll(upstream, id)
  upstream.expireResults()
  expect((await fetch(before.url)).status).toBe(403)
  expect((await fetch((await poll(upstream, id)).url)).status).toBe(200)
})

test('an unknown task is a 404', async () => {
  const response = await callJson(await start(), 'GET /v1/audio/tasks/task-none')
  expect(response).toMatchObject({ status: 404, body: { error: { code: 'task_not_found', param: 'task_id' } } })
})

test('a finished task is posted to its webhook, signed', async () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
  // The receiver is a test upstream too.
  const [upstream, receiver] = [await start({ webhookSecret: secret, now: () => 77_000 }), await start()]
  receiver.on('*', { status: 204 })
  const { id } = await create(upstream, { webhook_url: `${receiver.url}/hook?a=1` })
  const task = await upstream.completeTask(id)
  const [request] = receiver.requests
  expect(request).toMatchObject({ method: 'POST', path: '/hook', json: task, complete: true })
  const headers = request?.headers ?? {}
  expect(headers['webhook-timestamp']).toBe('77')
  const signed = `${headers['webhook-id']}.77.${JSON.stringify(task)}`
  const key = Buffer.from('0123456789abcdef0123456789abcdef')
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  expect(upstream.webhooks).toEqual([{ taskId: id, url: `${receiver.url}/hook?a=1`, status: 204 }])
})

test('a poll that ends a task calls its webhook, unsigned without a secret', async () => {
  const [upstream, receiver] = [await start({ polls: 1 }), await start()]
  receiver.on('*', { status: 500 })
  const { id } = await create(upstream, { webhook_url: `${receiver.url}/hook` })
  await poll(upstream, id)
  const request = await receiver.waitForRequest()
  await request.received()
  expect(request.json).toMatchObject({ id, status: 'SUCCESS' })
  expect(request.headers).not.toHaveProperty('webhook-signature')
  await poll(upstream, id)
  await upstream.close()
  expect(receiver.requests).toHaveLength(1)
})

test('a failed webhook call is recorded with its error', async () => {
  const [upstream, receiver] = [await start(), await start()]
  await receiver.close()
  const { id } = await create(upstream, { webhook_url: receiver.url })
  await upstream.completeTask(id)
  expect(upstream.webhooks).toMatchObject([{ taskId: id, error: expect.any(Error) }])
})
