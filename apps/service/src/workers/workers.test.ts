import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFakeServices, type FakeServices } from '../../test/support/fake-services.ts'
import { serveApp } from '../../test/support/fake-app.ts'
import { OUTAGE_PAUSE_MS } from '../domain/outage.ts'
import { EngineFailedError } from '@svc-audio/engine-ports'
import type { TaskKind } from '../ports/task-store.ts'
import { EngineSupervisor } from '../use-cases/engines/supervisor.ts'
import { MAX_STARTS } from './run-task.ts'
import type { Using } from '../services.ts'
import { startWorkers, type Workers } from './workers.ts'

let services: FakeServices
let workers: Workers
/** Number of claims. */
let claims: number
/** Start times of tasks. */
let begun: number[]
beforeEach(async () => {
  claims = 0
  begun = []
  services = await createFakeServices()
  start()
})
afterEach(async () => {
  await workers.stop()
  await services.close()
})

function start({ engines: { states: engines } }: Using<'engines.states'> = services): void {
  const { tasks } = services.stores
  const claim: typeof tasks.claim = async (...options) => {
    claims += 1
    const claimed = await tasks.claim(...options)
    if (claimed !== undefined) begun.push(services.clock.now())
    return claimed
  }
  workers = startWorkers(
    {
      ...services,
      engines: { ...services.engines, states: engines },
      stores: { ...services.stores, tasks: { ...tasks, claim } },
    },
    2,
  )
}

test('workers claim no task while the object store is down, and go on after a pause', async () => {
  const before = claims
  services.runtime.outage.note(services.clock.now())
  await accept('task_1', 'audio.speech')
  await services.clock.pass(OUTAGE_PAUSE_MS - 2000)
  expect(claims).toBe(before)
  await services.clock.pass(3000)
  await expect.poll(() => claims).toBeGreaterThan(before)
})

async function accept(id: string, kind: TaskKind, request: object = {}): Promise<void> {
  const speech = { text: 'Hello', pauses: false, voiceId: 'v', format: 'wav' }
  const order = { id, tenant: 't', model: 'm', kind }
  if (kind !== 'audio.transcription')
    await services.stores.tasks.accept({ ...order, request: { ...speech, ...request } })
  else {
    const path = join(services.dataDir, id)
    await writeFile(path, 'heard')
    await services.objects.inputs.of('t').putFile(id, path)
    await services.stores.tasks.accept({ ...order, request: { diarize: false, keyterms: [], ...request }, input: id })
  }
  services.stores.dispatch.announce('task')
}

const status = async (id: string) => (await services.stores.tasks.find('t', id))?.status

async function ended(id: string): Promise<void> {
  while ((await status(id)) !== 'SUCCESS') await services.clock.pass(100)
}

test('tasks of an engine that is down stay queued, and others run', async () => {
  services.engines.states.speech.up = false
  for (let n = 0; n < 5; n += 1) await accept(`speech${n}`, 'audio.speech')
  await accept('heard', 'audio.transcription')
  await ended('heard')
  await services.clock.pass(600_000)
  for (let n = 0; n < 5; n += 1) expect(await status(`speech${n}`)).toBe('PENDING')
  expect(services.logged).toEqual([])
  // one claim a second, for each of two engines
  expect(claims).toBeLessThan(1400)
  services.engines.states.speech.up = true
  for (let n = 0; n < 5; n += 1) await ended(`speech${n}`)
})

test('transcriptions wait for the recognizer, those with speakers also for the diarizer', async () => {
  services.engines.states.diarization.up = false
  await accept('speakers', 'audio.transcription', { diarize: true })
  await accept('plain', 'audio.transcription')
  await ended('plain')
  await services.clock.pass(600_000)
  expect(await status('speakers')).toBe('PROCESSING')
  services.engines.states.recognition.up = false
  services.engines.states.diarization.up = true
  await accept('later', 'audio.transcription')
  await services.clock.pass(600_000)
  expect([await status('speakers'), await status('later')]).toEqual(['PROCESSING', 'PENDING'])
  services.engines.states.recognition.up = true
  await Promise.all([ended('speakers'), ended('later')])
  expect(services.logged).toEqual([])
})

test('a task with speakers starts right after the diarizer is up again, with no attempt lost', async () => {
  const {
    clock,
    runtime: { log },
  } = services
  const diarization = { ...services.engines.diarization, close: async () => undefined }
  let [works, tries] = [false, 0]
  const probe = async (): Promise<void> => {
    tries += 1
    if (!works) throw new EngineFailedError('still broken')
  }
  const supervisor = new EngineSupervisor({ name: 'diarization', create: async () => diarization, probe, clock, log })
  await workers.stop()
  await supervisor.start()
  start({ engines: { states: { ...services.engines.states, diarization: supervisor } } })
  await accept('speakers', 'audio.transcription', { diarize: true })
  await clock.pass(600_000)
  expect(await status('speakers')).toBe('PROCESSING')
  // more often than a task may start, but not much more often than the diarizer was retried
  expect(begun.length).toBeGreaterThan(MAX_STARTS)
  expect(begun.length).toBeLessThanOrEqual(2 * tries)
  works = true
  while (!supervisor.up) await clock.pass(100)
  const back = clock.now()
  await ended('speakers')
  expect((begun.at(-1) ?? Infinity) - back).toBeLessThanOrEqual(2000)
  await supervisor.close()
})

test('transcriptions that take long hold no place of speech, and their number is limited', async () => {
  const ends: (() => void)[] = []
  services.hear = () => new Promise((resolve) => ends.push(() => resolve('heard')))
  for (let n = 0; n < 4; n += 1) await accept(`long${n}`, 'audio.transcription')
  while (ends.length < 2) await services.clock.pass(100)
  for (let n = 0; n < 5; n += 1) await accept(`speech${n}`, 'audio.speech')
  for (let n = 0; n < 5; n += 1) await ended(`speech${n}`)
  const states = await Promise.all([0, 1, 2, 3].map((n) => status(`long${n}`)))
  expect(states).toEqual(['PROCESSING', 'PROCESSING', 'PENDING', 'PENDING'])
  while ((await status('long3')) !== 'SUCCESS') {
    ends.splice(0).forEach((end) => end())
    await services.clock.pass(100)
  }
})

test('an interrupted stream fails without an engine', async () => {
  services.engines.states.diarization.up = false
  await services.stores.tasks.begin({ id: 'cut', tenant: 't', kind: 'audio.transcription', model: 'm' }, 1)
  await services.clock.pass(2000)
  expect(await status('cut')).toBe('FAILED')
})

test('after an outage a worker claims nothing until a probe succeeds, and /readyz says so', async () => {
  let works = false
  const probing = {
    ...services,
    stores: { ...services.stores, probe: async () => (works ? undefined : Promise.reject(new Error('refused'))) },
  }
  const app = await serveApp(probing, { app: { servesHttp: false } })
  const ready = async (): Promise<unknown> => (await fetch(`${app.url}/readyz`)).json()
  services.runtime.outage.note(services.clock.now())
  await workers.stop()
  workers = startWorkers(probing, 2)
  await accept('one', 'audio.speech')
  await services.clock.pass(OUTAGE_PAUSE_MS + 2000)
  expect((await services.stores.tasks.find('t', 'one'))?.status).toBe('PENDING')
  expect(await ready()).toEqual({ status: 'no_storage' })
  works = true
  await services.clock.pass(OUTAGE_PAUSE_MS + 2000)
  await expect.poll(async () => (await services.stores.tasks.find('t', 'one'))?.status).toBe('SUCCESS')
  expect(await ready()).toEqual({ status: 'ready' })
  await app.close()
})
