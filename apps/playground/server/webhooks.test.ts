import { setImmediate } from 'node:timers/promises'
import type { Task } from '@svc-audio/core'
import express from 'express'
import { afterEach, expect, test } from 'vitest'
import { errorHandler, type Listening, serve } from './http.ts'
import { HOOK_PATH, Webhooks } from './webhooks.ts'

const TASK: Task = { id: 'task_1', object: 'audio.speech', status: 'SUCCESS', created_at: 1, updated_at: 2 }
const client = { tasks: { retrieve: async (): Promise<Task> => TASK, notify: (): void => {} } }

let server: Listening | undefined
afterEach(() => server?.close())

async function start(url: string | undefined): Promise<string> {
  const webhooks = new Webhooks(client, url)
  const app = express().post(HOOK_PATH, webhooks.hook()).use('/api/webhooks', webhooks.routes())
  server = await serve(app.use(errorHandler('key')))
  return server.url
}

const call = (url: string): Promise<Response> => fetch(url, { method: 'POST', body: JSON.stringify(TASK) })

test('a callback with the token of its address is listed and sent as an event, one without is refused', async () => {
  const base = await start('https://hooks.example/hooks/audio')
  const made = await fetch(`${base}/api/webhooks`, { method: 'POST' })
  const { url } = (await made.json()) as { url: string }
  expect(url).toMatch(/^https:\/\/hooks\.example\/hooks\/audio\?token=/)
  const events = await fetch(`${base}/api/webhooks/events`)
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()

  expect((await call(`${base}${HOOK_PATH}?token=forged`)).status).toBe(401)
  expect((await call(base + HOOK_PATH + new URL(url).search)).status).toBe(200)

  const { value } = (await reader?.read()) ?? {}
  const arrival = { task_id: 'task_1', status: 'SUCCESS', received_at: expect.any(Number) }
  expect(JSON.parse(value?.replace(/^data: /, '') ?? '')).toEqual(arrival)
  await reader?.cancel()
  await setImmediate()
  const list = await fetch(`${base}/api/webhooks`)
  expect(await list.json()).toEqual({ available: true, arrivals: [arrival] })
})

test('without an address that the service can call, no webhook is offered', async () => {
  const base = await start(undefined)
  expect(await (await fetch(`${base}/api/webhooks`)).json()).toEqual({ available: false, arrivals: [] })
  const refused = await fetch(`${base}/api/webhooks`, { method: 'POST' })
  expect(refused.status).toBe(409)
  expect(await refused.text()).toContain('SVC_AUDIO_WEBHOOK_URL')
})
