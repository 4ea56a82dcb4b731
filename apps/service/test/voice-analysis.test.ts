import { getEventListeners } from 'node:events'
import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSampleAnalyser } from '@svc-audio/engines'
import { EngineStuckError, type SampleAnalyser } from '@svc-audio/engine-ports'
import type { Services } from '../src/services.ts'
import { SAMPLE_LIMITS } from '../src/use-cases/voices.ts'
import { SCRIPT, SCRIPTED_RECORDING_WORKER } from '@svc-audio/kit/engine-fixtures/script.ts'
import { createFakeServices, type FakeServices, semaphoresOf } from './support/fake-services.ts'
import { scriptedEngine } from './support/scripted-engine.ts'
import { serveApp } from './support/fake-app.ts'
import { parsePrometheus } from './support/telemetry.ts'
import { errorOf } from './support/test-service.ts'
import { buzz } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'

const worker = SCRIPTED_RECORDING_WORKER
const TRAITS = { pitchHz: 140, rangeSemitones: 1, syllablesPerSecond: 4 }

let fake: FakeServices
const closers: (() => Promise<void>)[] = []
beforeEach(async () => {
  fake = await createFakeServices()
})
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
  await fake.close()
})

async function serve(analyser: SampleAnalyser) {
  const services: Services = {
    ...fake,
    engines: { ...fake.engines, speech: scriptedEngine(), analyser, semaphores: semaphoresOf(1) },
  }
  const app = await serveApp(services)
  closers.push(() => app.close())
  const keys = [await fake.stores.keys.create('first'), await fake.stores.keys.create('second')]
  const headers = (tenant: number) => ({ authorization: `Bearer ${keys[tenant]?.key}` })
  return {
    services,
    get: (path: string) => fetch(app.url + path, { headers: headers(0) }),
    /** The codec of these services reads files as raw PCM. */
    create: (sample: Uint8Array, { tenant = 0, signal = new AbortController().signal } = {}) => {
      const form = new FormData()
      form.set('audio_sample', new Blob([Buffer.from(sample)]), 'sample')
      return fetch(`${app.url}/v1/audio/voices`, { method: 'POST', headers: headers(tenant), body: form, signal })
    },
  }
}

const hanging = new Uint8Array(
  Int16Array.from({ length: 16_000 }, (_, index) => (index === 0 ? SCRIPT.hang : 0)).buffer,
)

async function until(so: () => boolean): Promise<void> {
  while (!so()) await new Promise(setImmediate)
}

test('other requests are answered while a sample is measured, and a disconnect ends the work', async () => {
  const analyser = createSampleAnalyser({ limits: SAMPLE_LIMITS, workers: 1, worker })
  closers.push(() => analyser.close())
  const { services, get, create } = await serve(analyser)
  const leaving = new AbortController()
  const left = create(hanging, { signal: leaving.signal })
  const { analysis } = services.engines.semaphores
  await until(() => analysis.busy === 1)
  // the analysis thread blocks for ever; on the main thread it would block every response
  expect((await get('/v1/models')).status).toBe(200)
  const samples = parsePrometheus(await (await get('/metrics')).text())
  expect(samples.get('svc_audio_engine_busy_threads{engine="analysis"}')).toBe(1)
  leaving.abort()
  await expect(left).rejects.toThrow('aborted')
  await until(() => analysis.busy === 0)
  while ((await readdir(services.objects.uploadFolder)).length > 0) await new Promise(setImmediate)
  expect(getEventListeners(services.runtime.stopping, 'abort')).toEqual([])
})

test('tenants take turns', async () => {
  const order: string[] = []
  const gates: (() => void)[] = []
  const { services, create } = await serve({
    analyse: async (pcm) => {
      for await (const chunk of pcm) order.push(String(chunk[0]))
      await new Promise<void>((resolve) => gates.push(resolve))
      return TRAITS
    },
    close: async () => undefined,
  })
  const responses: Promise<Response>[] = []
  for (const [tenant, mark] of [
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 4],
  ] as const) {
    responses.push(create(Uint8Array.of(mark, 0), { tenant }))
    await until(
      () =>
        services.engines.semaphores.analysis.busy + services.engines.semaphores.analysis.waiting === responses.length,
    )
  }
  for (let done = 0; done < responses.length; done += 1) {
    await until(() => gates.length > done)
    gates[done]?.()
  }
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(order).toEqual(['1', '4', '2', '3'])
})

test('a hanging thread is 500 engine_timeout, and its slot is free again', async () => {
  let hangs = true
  const { services, create } = await serve({
    analyse: async () => {
      if (hangs) throw new EngineStuckError('It did not answer')
      return TRAITS
    },
    close: async () => undefined,
  })
  const failed = await create(buzz(140, 1, 4))
  expect(failed.headers.get('retry-after')).toBeNull()
  expect(await errorOf(failed)).toEqual({ status: 500, code: 'engine_timeout', param: null })
  expect(services.engines.semaphores.analysis.busy).toBe(0)
  hangs = false
  expect((await create(buzz(140, 1, 4))).status).toBe(200)
})
