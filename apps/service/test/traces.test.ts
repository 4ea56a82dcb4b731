import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { shareSqlite } from '../src/drivers/sqlite/service-database.ts'
import { createKeyStore } from '../src/drivers/sql/key-store.ts'
import { openDatabase } from '../src/drivers/sqlite/database.ts'
import { EnginePool } from '../src/use-cases/engines/pool.ts'
import { startWorkers, type Workers } from '../src/workers/workers.ts'
import { type Changes, changed, createFakeServices, type FakeServices } from './support/fake-services.ts'
import { serveApp } from './support/fake-app.ts'
import { type Recorder, recordSpans } from './support/telemetry.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`
const KEY = 'key-of-t'
const SPEECH = { model: 'svc-tts-1.0-pro', input: 'Hello', voice_id: 'v', response_format: 'wav' }
const HOOK = 'https://hooks.example.com/hook'

let fake: FakeServices
let app: { readonly url: string; close(): Promise<void> }
let workers: Workers
let lines: Record<string, unknown>[]
let hooks: Readonly<Record<string, string>>[]

async function start(change: Changes = {}): Promise<void> {
  const database = openDatabase(`${fake.dataDir}/service.sqlite`)
  const note = (fields: object, message: string): void => void lines.push({ ...fields, message })
  const logged = changed(fake, {
    stores: { keys: createKeyStore(shareSqlite(database), new Map([[KEY, 't']])) },
    runtime: { log: { error: note, warn: note, info: note } },
  })
  const services = changed(logged, change)
  app = await serveApp(services)
  workers = startWorkers(services, 1)
}

beforeEach(async () => {
  lines = []
  hooks = []
  fake = await createFakeServices()
  fake.answer = async ({ headers }) => {
    hooks.push(headers)
    return 204
  }
})
afterEach(async () => {
  await workers.stop()
  await app.close()
  await fake.close()
})

function post(headers: Record<string, string> = {}, change: object = {}): Promise<Response> {
  const body = JSON.stringify({ ...SPEECH, ...change })
  const common = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  return fetch(`${app.url}/v1/audio/speech`, { method: 'POST', headers: { ...common, ...headers }, body })
}

/** Creates a task with a webhook, and resolves with the headers of its call. */
async function runTask(headers: Record<string, string> = {}): Promise<Readonly<Record<string, string>>> {
  const response = await post(headers, { async: true, webhook_url: HOOK })
  expect(response.status).toBe(200)
  await expect.poll(() => hooks.length, { timeout: 20_000, interval: 10 }).toBe(1)
  return hooks[0] ?? {}
}

describe('without a tracer', () => {
  test('the trace and the request id of a request reach the worker’s log and the webhook', async () => {
    await start()
    const given = { traceparent: TRACEPARENT, tracestate: 'vendor=1', 'x-request-id': 'request-1' }
    expect(await runTask(given)).toMatchObject({ traceparent: TRACEPARENT, tracestate: 'vendor=1' })
    const ended = lines.find(({ message }) => message === 'a task has ended')
    expect(ended).toMatchObject({ trace: TRACE, reqId: 'request-1', tenant: 't', kind: 'audio.speech', attempt: 1 })
  })

  test('a failed attempt and a failed webhook call are logged with the trace', async () => {
    await start()
    let attempts = 0
    fake.speakWith = async (text) => {
      attempts += 1
      if (attempts === 1) throw new Error('broken')
      return Buffer.from(text)
    }
    fake.answer = async ({ headers }) => {
      hooks.push(headers)
      return 500
    }
    await post({ traceparent: TRACEPARENT }, { async: true, webhook_url: HOOK })
    await expect.poll(() => attempts, { timeout: 20_000 }).toBe(1)
    const passed = async (): Promise<number> => {
      await fake.clock.pass(1000)
      return hooks.length
    }
    await expect.poll(passed, { timeout: 20_000 }).toBeGreaterThan(0)
    for (const message of ['an attempt at a task failed', 'a webhook call failed']) {
      expect(lines.find((line) => line['message'] === message)).toMatchObject({ trace: TRACE })
    }
  })

  test('a request without a trace has none, and its request id is in the log', async () => {
    await start()
    const headers = await runTask({ tracestate: 'alone=1', 'x-request-id': 'request-2' })
    expect(headers).not.toHaveProperty('traceparent')
    expect(headers).not.toHaveProperty('tracestate')
    const ended = lines.find(({ message }) => message === 'a task has ended')
    expect(ended).toMatchObject({ reqId: 'request-2' })
    expect(ended).not.toHaveProperty('trace')
  })

  test('an invalid traceparent and an overlong tracestate are not passed on', async () => {
    await start()
    expect(await runTask({ traceparent: '00-zz-00-01' })).not.toHaveProperty('traceparent')
    hooks = []
    const long = await runTask({ traceparent: TRACEPARENT, tracestate: `vendor=${'x'.repeat(600)}` })
    expect(long).toMatchObject({ traceparent: TRACEPARENT })
    expect(long).not.toHaveProperty('tracestate')
  })
})

describe('with a tracer of OpenTelemetry', () => {
  let recorder: Recorder
  beforeEach(async () => {
    recorder = recordSpans()
    const { tracer } = recorder
    const engine = { ...fake.engines.speech, name: 'fake', close: async () => undefined }
    const speech = { ...engine, create: async () => engine }
    const atOnce = { speech: 1, recognition: 1, diarization: 1 }
    const pool = new EnginePool([{ name: 'fake', parts: { speech }, workers: atOnce }], { ...fake.runtime, tracer })
    await pool.start()
    await start({ runtime: { tracer }, engines: { speech: pool.speech } })
  })
  afterEach(() => recorder.stop())
  const spans = () =>
    recorder.spans().map((span) => ({
      name: span.name,
      attributes: span.attributes,
      trace: span.spanContext().traceId,
      id: span.spanContext().spanId,
      parent: span.parentSpanContext?.spanId,
      status: span.status.code,
    }))
  const spanOf = async (name: string) => {
    await expect.poll(() => spans().map((span) => span.name), { timeout: 20_000 }).toContain(name)
    return spans().find((span) => span.name === name)
  }

  test('request, task, engine and webhook are spans of the caller’s trace, each below the one before', async () => {
    const { traceparent = '' } = await runTask({ traceparent: TRACEPARENT })
    const request = await spanOf('POST /v1/audio/speech')
    const task = await spanOf('task audio.speech')
    const engine = await spanOf('speech engine')
    const webhook = await spanOf('webhook')
    expect([request, task, engine, webhook].map((span) => span?.trace)).toEqual([TRACE, TRACE, TRACE, TRACE])
    expect(request?.parent).toBe('00f067aa0ba902b7')
    expect(task?.parent).toBe(request?.id)
    expect(engine?.parent).toBe(task?.id)
    expect(webhook?.parent).toBe(request?.id)
    expect(traceparent).toBe(`00-${TRACE}-${webhook?.id}-01`)
    expect(request?.attributes).toMatchObject({ 'http.response.status_code': 200, 'svc_audio.tenant': 't' })
    expect(webhook?.attributes).toMatchObject({ 'http.response.status_code': 204 })
  })

  test('a request without a trace starts one', async () => {
    const { traceparent } = await runTask()
    const task = await spanOf('task audio.speech')
    expect(traceparent).toContain(task?.trace)
    expect((await spanOf('POST /v1/audio/speech'))?.trace).toBe(task?.trace)
  })

  test('the engine of a synchronous call is below its request', async () => {
    expect((await post()).status).toBe(200)
    const request = await spanOf('POST /v1/audio/speech')
    expect((await spanOf('speech engine'))?.parent).toBe(request?.id)
  })

  test('a failing engine marks its span and its request, without the message', async () => {
    fake.speakWith = async () => {
      throw new TypeError('a secret')
    }
    expect((await post()).status).toBe(500)
    const engine = await spanOf('speech engine')
    expect(engine).toMatchObject({ status: 2, attributes: { 'error.type': 'TypeError' } })
    expect(await spanOf('POST /v1/audio/speech')).toMatchObject({ status: 2 })
    expect(JSON.stringify(spans())).not.toContain('secret')
  })

  test('no span contains the text', async () => {
    await runTask()
    await spanOf('webhook')
    expect(JSON.stringify(spans())).not.toContain('Hello')
  })
})
