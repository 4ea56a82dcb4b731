import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMoonshineEngine } from '@svc-audio/engines'
import type { RecognitionEngine } from '@svc-audio/engine-ports'
import type { Services } from '../src/services.ts'
import { EngineSupervisor } from '../src/use-cases/engines/supervisor.ts'
import { retryDelay, runTask } from '../src/workers/run-task.ts'
import { recognize } from '../src/use-cases/engines/work.ts'
import { SCRIPT, SCRIPTED_WORKER } from '@svc-audio/kit/engine-fixtures/script.ts'
import { claimAgain, createFakeServices, type FakeServices, semaphoresOf } from './support/fake-services.ts'
import { serveApp } from './support/fake-app.ts'
import { errorOf } from './support/test-service.ts'

let fake: FakeServices
let services: Services
let supervisor: EngineSupervisor<RecognitionEngine>
/** Behaviour of the engine's thread at the probe. */
let probed: number
beforeEach(async () => {
  fake = await createFakeServices()
  probed = 0
  // the scripted worker reads no file
  const find = async () => ({ moonshine: { encoder: '', decoder: '', tokens: '' }, silero: '' })
  const {
    clock,
    runtime: { log },
  } = fake
  supervisor = new EngineSupervisor<RecognitionEngine>({
    name: 'recognition',
    create: () => createMoonshineEngine({ workers: 1, find, worker: SCRIPTED_WORKER, clock }),
    probe: (engine, signal) => engine.recognize(sound(probed), { signal }),
    clock,
    log,
  })
  await supervisor.start()
  const recognition: Services['engines']['recognition'] = {
    recognize: (pcm, options) => recognize({ use: (call) => supervisor.use(call) }, pcm, options),
  }
  const engines = { ...fake.engines.states, recognition: supervisor }
  services = { ...fake, engines: { ...fake.engines, recognition, states: engines, semaphores: semaphoresOf(1) } }
})
afterEach(async () => {
  await supervisor.close()
  await fake.close()
})

/** A tenth of a second. The first sample is the scripted worker's command. */
function bytes(first: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Int16Array.from({ length: 1600 }, (_, index) => (index === 0 ? first : 0)).buffer)
}

async function* sound(first: number): AsyncGenerator<Uint8Array> {
  yield bytes(first)
}

/** Waits until the recognizer is busy, then advances the clock until it is idle. */
async function passMinute(): Promise<void> {
  while (services.engines.semaphores.recognition.busy === 0) await new Promise(setImmediate)
  while (services.engines.semaphores.recognition.busy > 0) await fake.clock.pass(15_000)
}

/** Serves the services to one tenant. */
async function serve() {
  const { key } = await fake.stores.keys.create('t')
  const app = await serveApp(services)
  const headers = { authorization: `Bearer ${key}` }
  return {
    close: () => app.close(),
    ready: () => fetch(`${app.url}/readyz`),
    transcribe: (first: number): Promise<Response> => {
      const form = new FormData()
      form.set('model', 'svc-transcribe-1.0')
      form.set('file', new Blob([bytes(first)]), 'sound')
      return fetch(`${app.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })
    },
  }
}

test('a recognizer with crashing threads goes out of service, and returns when a thread works', async () => {
  const { close, ready, transcribe } = await serve()
  expect(await errorOf(await transcribe(SCRIPT.crash))).toMatchObject({ status: 500, code: 'internal_error' })
  // the replacement thread does its work
  expect((await transcribe(0)).status).toBe(200)
  probed = SCRIPT.crash
  // The probe fails too, so the recording is not the cause.
  expect((await transcribe(SCRIPT.crash)).status).toBe(503)
  expect(supervisor.up).toBe(false)
  const missing = await ready()
  expect([missing.status, await missing.json()]).toEqual([503, { status: 'no_engine', engines: ['recognition'] }])
  expect(missing.headers.get('retry-after')).toBe('5')
  const refused = await transcribe(0)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'engine_unavailable' })
  probed = 0
  await fake.clock.pass(1000)
  while (!supervisor.up) await new Promise(setImmediate)
  expect((await ready()).status).toBe(200)
  expect((await transcribe(0)).status).toBe(200)
  expect(fake.logged).toHaveLength(2)
  await close()
})

test('a recognizer with an exited idle thread is not broken', async () => {
  const { close, ready, transcribe } = await serve()
  expect(await (await transcribe(0)).json()).toEqual({ text: 'recording 2' })
  await fake.clock.pass(60_000)
  expect(fake.clock.timers).toBe(0)
  // a probe would fail at this point
  probed = SCRIPT.crash
  await fake.clock.pass(600_000)
  expect([supervisor.up, (await ready()).status]).toEqual([true, 200])
  expect(await (await transcribe(0)).json()).toEqual({ text: 'recording 1' })
  expect(fake.logged).toEqual([])
  await close()
})

test('a hanging recognizer is 500 engine_timeout after a minute; the next recording gets a new thread', async () => {
  const { close, transcribe } = await serve()
  const hanging = transcribe(SCRIPT.hang)
  await passMinute()
  expect(await errorOf(await hanging)).toEqual({ status: 500, code: 'engine_timeout', param: null })
  expect(services.engines.semaphores.recognition.busy).toBe(0)
  const next = await transcribe(0)
  expect(await next.json()).toMatchObject({ text: expect.stringMatching(/^recording \d$/) })
  expect(supervisor.up).toBe(true)
  await close()
})

test('a task with a hanging recognizer is retried', async () => {
  const path = join(fake.dataDir, 'sound')
  await writeFile(path, bytes(SCRIPT.hang))
  await fake.objects.inputs.of('t').putFile('input_1', path)
  const order = {
    id: 'task_1',
    tenant: 't',
    kind: 'audio.transcription',
    model: 'm',
    request: { diarize: false, keyterms: [] },
  } as const
  await fake.stores.tasks.accept({ ...order, input: 'input_1' })
  const running = runTask(services, await claimAgain(fake))
  await passMinute()
  await running
  expect(await fake.stores.tasks.find('t', 'task_1')).toMatchObject({ status: 'PROCESSING' })
  expect(fake.logged.join()).toContain('an attempt at a task failed')
  await fake.clock.pass(retryDelay(1))
  expect((await claimAgain(fake)).attempt).toBe(2)
})
