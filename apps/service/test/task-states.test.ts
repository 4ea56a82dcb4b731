import { afterEach, beforeEach, expect, test } from 'vitest'
import { runTask } from '../src/workers/run-task.ts'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { claimAgain } from './support/fake-services.ts'

let app: FakeApp
beforeEach(async () => {
  app = await startFakeApp()
})
afterEach(() => app.close())

const body = { model: 'svc-tts-1.0-pro', input: 'Hello.', voice_id: 'v', response_format: 'wav', async: true }

async function created(): Promise<string> {
  const response = await app.post('/v1/audio/speech', body)
  const { id, status } = (await response.json()) as { id: string; status: string }
  expect(status).toBe('PENDING')
  return id
}

async function seen(id: string): Promise<Record<string, unknown>> {
  return (await (await app.get(`/v1/audio/tasks/${id}`)).json()) as Record<string, unknown>
}

// rules: states.normal-path, states.created, creation.immediate, task.retry-after
test('a task is PENDING until it starts, PROCESSING until it ends, then SUCCESS', async () => {
  const id = await created()
  expect(await seen(id)).toMatchObject({ status: 'PENDING', retry_after: 1 })
  const speaking = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  app.services.speakWith = async (text) => {
    speaking.resolve()
    await go.promise
    return Buffer.from(text)
  }
  const running = runTask(app.services, await claimAgain(app.services))
  await speaking.promise
  const processing = await seen(id)
  expect(processing).toMatchObject({ status: 'PROCESSING', retry_after: 1 })
  expect(processing).not.toHaveProperty('url')
  go.resolve()
  await running
  const done = await seen(id)
  expect(done).toMatchObject({ status: 'SUCCESS', response_format: 'wav' })
  expect(done).not.toHaveProperty('retry_after')
})

const error = { code: 'broken', message: 'It broke' }

// rules: states.terminal
test.each(['SUCCESS', 'FAILED'] as const)('nothing changes a %s task', async (status) => {
  const id = await created()
  const { services } = app
  const claim = await claimAgain(services)
  if (status === 'SUCCESS') await runTask(services, claim)
  else await services.tasks.fail(claim, error)
  const { url: _, ...before } = await seen(id)
  expect(before['status']).toBe(status)
  await services.clock.pass(60_000)
  await runTask(services, claim)
  expect(await services.tasks.fail(claim, error)).toBe(false)
  expect(await services.tasks.claim(1000)).toBeUndefined()
  const { url: _again, ...after } = await seen(id)
  expect(after).toEqual(before)
})

// rules: states.failed, task.error
test("the error of a failed task has another shape than a response's error", async () => {
  const id = await created()
  const { services } = app
  await services.tasks.fail(await claimAgain(services), error)
  expect(await seen(id)).toMatchObject({ status: 'FAILED', error })
  const refused = await app.post('/v1/audio/speech', { ...body, input: '' })
  const response = (await refused.json()) as { error: object }
  expect(Object.keys(response.error)).toEqual(['code', 'message', 'type', 'param'])
})
