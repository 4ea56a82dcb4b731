import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  claimAgain,
  claimedSpeech,
  createFakeServices,
  type FakeServices,
  namesIn,
} from '../../test/support/fake-services.ts'
import { serveApp } from '../../test/support/fake-app.ts'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { MAX_ATTEMPTS, retryDelay, runTask } from './run-task.ts'
import { startWorkers } from './workers.ts'
import { FIRST_PAUSE_MS } from '../domain/running-tasks.ts'
import { GRACE_MS } from './watched-services.ts'

let services: FakeServices
beforeEach(async () => {
  services = await createFakeServices()
  Object.assign(services.settings, { taskPatience: 90_000 })
})
afterEach(async () => {
  // Work that hangs for ever would leave its file open.
  for (const { finish } of hung.splice(0)) finish(Buffer.from('late'))
  await settle()
  await services.close()
})
const task = (id = 'task_1') => services.stores.tasks.find('t', id)

/** The patience, and the quarter of its last check. */
const bound = () => services.settings.taskPatience * 1.25

/** The calls of the engines that hang. */
const hung: { finish: (audio: Buffer) => void }[] = []

/** An engine that hangs. It stops when it is told to, or never. */
function hang({ stops }: { readonly stops: boolean }) {
  services.speakWith = (_text, signal) =>
    new Promise((resolve, reject) => {
      hung.push({ finish: resolve })
      if (stops && signal.aborted) reject(signal.reason)
      if (stops) signal.addEventListener('abort', () => reject(signal.reason))
    })
  return hung
}

test('a task without progress goes back to the queue within the bound, in spite of its heartbeats', async () => {
  const calls = hang({ stops: true })
  const running = runTask(services, await claimedSpeech(services))
  await expect.poll(() => calls.length).toBe(1)
  await services.clock.pass(services.settings.taskPatience - 1)
  expect(await services.stores.tasks.claim(1000)).toBeUndefined()
  await services.clock.pass(1)
  await running
  await services.clock.pass(retryDelay(1))
  expect((await claimAgain(services)).attempt).toBe(2)
  expect(Object.fromEntries(services.runtime.stalled.stalls)).toEqual({ 'audio.speech': 1 })
  expect(services.runtime.stalled.abandonedOf(['audio.speech'])).toBe(0)
  expect(services.logged.join('')).toMatch(/an attempt at a task failed.*EngineStuckError/)
  expect(services.clock.timers).toBe(0)
})

test('a task that stalls at each attempt fails with engine_timeout', async () => {
  const calls = hang({ stops: true })
  let claim = await claimedSpeech(services)
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const running = runTask(services, claim)
    await expect.poll(() => calls.length).toBe(attempt)
    await services.clock.pass(services.settings.taskPatience)
    await running
    if (attempt === MAX_ATTEMPTS) break
    await services.clock.pass(retryDelay(attempt))
    claim = await claimAgain(services)
  }
  expect(await task()).toMatchObject({ status: 'FAILED', error: { code: 'engine_timeout' } })
})

test('work that ignores its end is abandoned: its late result is refused and removed', async () => {
  const calls = hang({ stops: false })
  const late = await claimedSpeech(services)
  const running = runTask(services, late)
  await expect.poll(() => calls.length).toBe(1)
  await services.clock.pass(bound() + GRACE_MS)
  await running
  expect(services.runtime.stalled.abandonedOf(['audio.speech'])).toBe(1)
  expect(services.engines.semaphores.speech.busy).toBe(0)
  services.speakWith = async () => Buffer.from('second')
  await services.clock.pass(retryDelay(1))
  const second = await claimAgain(services)
  await runTask(services, second)
  const result = { file: `task_1-${second.token}.wav` }
  expect(await task()).toMatchObject({ status: 'SUCCESS', result })
  calls[0]?.finish(Buffer.from('late'))
  await expect.poll(() => services.runtime.stalled.abandonedOf(['audio.speech'])).toBe(0)
  expect(await services.stores.tasks.succeed(late, { by: 'late' })).toBe(false)
  expect(await task()).toMatchObject({ status: 'SUCCESS', result })
  expect(await namesIn(services.objects.results)).toEqual([result.file])
})

test('a work class whose engine has lost all places to abandoned work claims nothing, until that work ends', async () => {
  const calls = hang({ stops: false })
  const accept = (id: string) => {
    const request = { text: id, pauses: false, voiceId: 'v', format: 'wav' }
    return services.stores.tasks.accept({ id, tenant: 't', kind: 'audio.speech', model: 'm', request })
  }
  const workers = startWorkers(services, 8)
  for (const id of ['one', 'two']) await accept(id)
  await services.clock.pass(1000)
  await expect.poll(() => calls.length).toBe(2)
  await services.clock.pass(bound() + GRACE_MS + FIRST_PAUSE_MS)
  expect(services.runtime.stalled.abandonedOf(['audio.speech'])).toBe(services.engines.semaphores.speech.size)
  await accept('three')
  await services.clock.pass(10_000)
  expect((await task('three'))?.status).toBe('PENDING')
  services.speakWith = async () => Buffer.from('audio')
  for (const { finish } of calls) finish(Buffer.from('late'))
  await expect
    .poll(async () => {
      await services.clock.pass(1000)
      return Promise.all(['one', 'two', 'three'].map(async (id) => (await task(id))?.status))
    })
    .toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
  await workers.stop()
})

test('a task that waits for its place is not stalled, however long', async () => {
  const release = await Promise.all(
    [1, 2].map(() => services.engines.semaphores.recognition.acquire('t', services.stop.signal)),
  )
  const path = join(services.dataDir, 'upload')
  await writeFile(path, 'heard')
  await services.objects.inputs.of('t').putFile('input_1', path)
  const order = {
    id: 'task_1',
    tenant: 't',
    kind: 'audio.transcription',
    model: 'm',
    request: { diarize: false, keyterms: [] },
  } as const
  await services.stores.tasks.accept({ ...order, input: 'input_1' })
  const running = runTask(services, await claimAgain(services))
  for (let n = 0; n < 20; n += 1) {
    await settle()
    await services.clock.pass(services.settings.taskPatience)
  }
  for (const free of release) free()
  await running
  expect(await task()).toMatchObject({ status: 'SUCCESS' })
  expect(services.runtime.stalled.stalls.size).toBe(0)
})

test('a task that gets on slowly is not stalled, however long it takes', async () => {
  const {
    settings: { taskPatience },
    clock,
  } = services
  const asked: (() => void)[] = []
  const speech = {
    ...services.engines.speech,
    synthesize: async () => ({
      format: { sampleRate: 16_000, channels: 1, bitDepth: 16 } as const,
      chunks: (async function* () {
        for (let n = 0; n < 20; n += 1) {
          await new Promise<void>((resolve) => asked.push(resolve))
          yield Buffer.from('piece')
        }
      })(),
    }),
  }
  const running = runTask({ ...services, engines: { ...services.engines, speech } }, await claimedSpeech(services))
  for (let n = 0; n < 20; n += 1) {
    await expect.poll(() => asked.length).toBe(1)
    await clock.pass(taskPatience * 0.7)
    asked.shift()?.()
  }
  await running
  expect(await task()).toMatchObject({ status: 'SUCCESS' })
})

test('/readyz and /metrics tell of a stuck engine', async () => {
  const calls = hang({ stops: false })
  const app = await serveApp(services)
  const ready = async () => {
    const response = await fetch(`${app.url}/readyz`)
    return [response.status, await response.json()]
  }
  expect(await ready()).toEqual([200, { status: 'ready' }])
  const running = runTask(services, await claimedSpeech(services))
  await expect.poll(() => calls.length).toBe(1)
  await services.clock.pass(bound() + GRACE_MS)
  await running
  expect(await ready()).toEqual([503, { status: 'stuck', tasks: ['audio.speech'] }])
  const metrics = await (await fetch(`${app.url}/metrics`)).text()
  expect(metrics).toContain('svc_audio_stalled_tasks_total{kind="audio.speech"} 1')
  expect(metrics).toContain('svc_audio_abandoned_tasks{kind="audio.speech"} 1')
  await app.close()
})

test('a work class pauses after a stall, twice as long after each further one, until a task succeeds', async () => {
  const {
    clock,
    runtime: { stalled },
  } = services
  const pauses = []
  for (let n = 0; n < 8; n += 1) {
    stalled.countStall('audio.speech')
    stalled.countStall('audio.speech')
    const start = clock.now()
    expect([stalled.stuck, stalled.isPaused('audio.transcription')]).toEqual([['audio.speech'], false])
    while (stalled.isPaused('audio.voice_generation')) await clock.pass(1000)
    pauses.push((clock.now() - start) / 1000)
  }
  expect(pauses).toEqual([10, 20, 40, 80, 160, 300, 300, 300])
  stalled.countStall('audio.speech')
  stalled.countSuccess('audio.speech')
  expect([stalled.stuck, stalled.isPaused('audio.speech')]).toEqual([[], false])
})

test('failures at several tasks in a row pause the work class and show in /readyz; a success ends the row', async () => {
  const { stalled } = services.runtime
  stalled.countFailure('audio.speech', 'one')
  stalled.countFailure('audio.speech', 'one')
  stalled.countFailure('audio.speech', 'two')
  stalled.countSuccess('audio.speech')
  stalled.countFailure('audio.speech', 'three')
  stalled.countFailure('audio.speech', 'four')
  expect(stalled.isPaused('audio.speech')).toBe(false)
  stalled.countFailure('audio.speech', 'five')
  expect([stalled.isPaused('audio.speech'), stalled.isPaused('audio.transcription')]).toEqual([true, false])
  expect(stalled.stuck).toEqual(['audio.speech'])
  expect(stalled.stalls.size).toBe(0)
  await services.clock.pass(FIRST_PAUSE_MS)
  expect(stalled.stuck).toEqual([])
})
