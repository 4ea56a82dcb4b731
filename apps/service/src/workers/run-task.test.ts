import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  claimAgain,
  claimedSpeech,
  createFakeServices,
  type FakeServices,
  namesIn,
} from '../../test/support/fake-services.ts'
import { ObjectStoreUnavailableError } from '../domain/errors.ts'
import { OUTAGE_PAUSE_MS } from '../domain/outage.ts'
import { EngineFailedError, UndecodableAudioError, UnspeakableTextError } from '@svc-audio/engine-ports'
import { EngineUnavailableError } from '../ports/engines.ts'
import type { StorageState } from '../ports/disk.ts'
import type { Services } from '../services.ts'
import { LEASE_MS } from '../use-cases/tasks/lease.ts'
import { MAX_ATTEMPTS, MAX_STARTS, retryDelay, runTask } from './run-task.ts'

let services: FakeServices
beforeEach(async () => {
  services = await createFakeServices()
})
afterEach(() => services.close())
const task = () => services.stores.tasks.find('t', 'task_1')

test('speech succeeds with its file, and leaves no timer', async () => {
  const claim = await claimedSpeech(services)
  await runTask(services, claim)
  const file = `task_1-${claim.token}.wav`
  expect(await task()).toMatchObject({
    status: 'SUCCESS',
    result: { file, response_format: 'wav', content_type: 'audio/wav' },
  })
  expect(await namesIn(services.objects.results)).toEqual([file])
  expect(services.clock.timers).toBe(0)
})

test('the end of a task announces a webhook if the task has one', async () => {
  const announced: string[] = []
  services.stores.dispatch.listen('webhook', () => announced.push('webhook'))
  const claim = await claimedSpeech(services)
  await runTask(services, claim)
  expect(announced).toEqual([])
  const order = { id: 'task_2', tenant: 't', kind: 'audio.speech', model: 'm', request: claim.request ?? {} } as const
  await services.stores.tasks.accept({ ...order, webhookUrl: 'https://example.com/hook' })
  await runTask(services, await claimAgain(services))
  expect(announced).toEqual(['webhook'])
})

test('an outage of the object store returns the task to the queue without counting the attempt', async () => {
  const claim = await claimedSpeech(services)
  const down = new ObjectStoreUnavailableError()
  const results = {
    ...services.objects.results,
    of: () => ({ ...services.objects.results.of('t'), put: () => Promise.reject(down) }),
  }
  await runTask({ ...services, objects: { ...services.objects, results } }, claim)
  expect(await task()).toMatchObject({ status: 'PROCESSING' })
  expect(services.runtime.outage.lasts(services.clock.now())).toBe(true)
  expect(await services.stores.tasks.claim(1000)).toBeUndefined()
  await services.clock.pass(OUTAGE_PAUSE_MS)
  expect(services.runtime.outage.lasts(services.clock.now())).toBe(false)
  const again = await claimAgain(services)
  expect(again.attempt).toBe(1)
  await runTask(services, again)
  expect(await task()).toMatchObject({ status: 'SUCCESS' })
})

describe('a result that finds no room', () => {
  const noRoom = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  /** Services whose results find no room on a disk in that state. */
  const onDisk = (state: StorageState): Services => ({
    ...services,
    objects: {
      ...services.objects,
      results: {
        ...services.objects.results,
        of: () => ({ ...services.objects.results.of('t'), put: () => Promise.reject(noRoom) }),
      },
      health: { check: async () => state },
    },
  })

  test('on a full disk, the task waits without losing an attempt', async () => {
    let claim = await claimedSpeech(services)
    for (let outages = 0; outages < 5; outages += 1) {
      await runTask(onDisk('full'), claim)
      expect(await task()).toMatchObject({ status: 'PROCESSING' })
      expect(services.runtime.outage.lasts(services.clock.now())).toBe(true)
      await services.clock.pass(OUTAGE_PAUSE_MS)
      claim = await claimAgain(services)
      expect(claim.attempt).toBe(1)
    }
    await runTask(services, claim)
    expect(await task()).toMatchObject({ status: 'SUCCESS' })
  })

  test('on a disk with room, it is too large: the task fails after three attempts', async () => {
    let claim = await claimedSpeech(services)
    for (const attempt of [1, 2]) {
      await runTask(onDisk('ok'), claim)
      expect(services.runtime.outage.lasts(services.clock.now())).toBe(false)
      await services.clock.pass(retryDelay(attempt))
      claim = await claimAgain(services)
    }
    await runTask(onDisk('ok'), claim)
    expect(await task()).toMatchObject({ status: 'FAILED', error: { code: 'storage_full' } })
  })
})

test('a task counts its work once, however many attempts it had', async () => {
  const first = await claimedSpeech(services)
  services.speakWith = () => Promise.reject(new Error('broken'))
  await runTask(services, first)
  services.speakWith = async () => Buffer.alloc(32_000)
  await services.clock.pass(retryDelay(1))
  await runTask(services, await claimAgain(services))
  expect(await services.stores.usage.read({ from: '2000-01-01', to: '2099-12-31' })).toMatchObject([
    { tenant: 't', kind: 'speech', succeeded: 1, failed: 0, characters: 5, speechMs: 1000, recordingMs: 0 },
    { tenant: 't', kind: 'storage', storedBytes: 32_000 },
  ])
})

describe('delete after success', () => {
  async function claimedFile() {
    const path = join(services.dataDir, 'upload')
    await writeFile(path, 'heard')
    await services.objects.uploads.of('t').putFile('file_1', path)
    await services.stores.files.accept({ id: 'file_1', tenant: 't', filename: 'a', purpose: '', bytes: 5 })
    const request = { diarize: false, keyterms: [], source: { kind: 'file', id: 'file_1' } }
    await services.stores.tasks.accept({ id: 'task_1', tenant: 't', kind: 'audio.transcription', model: 'm', request })
    return claimAgain(services)
  }

  test('a successful transcription deletes its uploaded file and its bytes', async () => {
    await runTask({ ...services, settings: { ...services.settings, deleteAfterSuccess: true } }, await claimedFile())
    expect(await services.stores.tasks.find('t', 'task_1')).toMatchObject({
      status: 'SUCCESS',
      result: { text: 'heard' },
    })
    expect(await services.stores.files.find('t', 'file_1')).toBeUndefined()
    expect(await namesIn(services.objects.uploads)).toEqual([])
  })

  test('the file stays without the option, and after a failed transcription', async () => {
    const claim = await claimedFile()
    services.hear = () => Promise.reject(new UndecodableAudioError('no audio'))
    await runTask({ ...services, settings: { ...services.settings, deleteAfterSuccess: true } }, claim)
    expect((await services.stores.tasks.find('t', 'task_1'))?.status).toBe('FAILED')
    expect(await namesIn(services.objects.uploads)).toEqual(['file_1'])
  })

  test('a failed deletion is logged, and the task has succeeded', async () => {
    const claim = await claimedFile()
    const objects = { ...services.objects.uploads, delete: () => Promise.reject(new Error('read-only')) }
    await runTask(
      {
        ...services,
        objects: { ...services.objects, uploads: objects },
        settings: { ...services.settings, deleteAfterSuccess: true },
      },
      claim,
    )
    expect((await services.stores.tasks.find('t', 'task_1'))?.status).toBe('SUCCESS')
    expect(services.logged.join('')).toContain('could not be deleted')
  })
})

describe('transcription', () => {
  async function claimed() {
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
    return claimAgain(services)
  }

  test('succeeds with the text, and its input is removed', async () => {
    await runTask(services, await claimed())
    expect(await task()).toMatchObject({ status: 'SUCCESS', result: { text: 'heard' } })
    expect(await namesIn(services.objects.inputs)).toEqual([])
  })

  test('leaves its input for the next attempt', async () => {
    services.hear = async () => {
      throw new Error('crashed')
    }
    await runTask(services, await claimed())
    expect(await namesIn(services.objects.inputs)).toEqual(['input_1'])
  })

  test('without its input fails with the reason', async () => {
    const claim = await claimed()
    await services.objects.inputs.delete('input_1')
    await runTask(services, claim)
    expect(await task()).toMatchObject({ status: 'FAILED', error: { code: 'input_not_found' } })
  })
})

describe('speech in a voice that was deleted before its turn', () => {
  const own = { tenant: 't', name: '', description: '', status: 'active' } as const
  const parameters = { base: 'v', pitchHz: 120, rangeSemitones: 1, tempo: 1, size: 1 }
  const rows: [what: string, request: object][] = [
    ['a text', { text: 'Hello', pauses: false, voiceId: 'own', format: 'wav' }],
    [
      'a dialogue',
      { lines: ['v', 'own'].map((voiceId) => ({ speaker: voiceId, voiceId, text: 'Hi.' })), format: 'wav' },
    ],
  ]

  test.each(rows)('%s fails at once with the reason', async (_what, request) => {
    await services.stores.voices.create({ ...own, id: 'own', parameters })
    const plain = { tenant: 't', kind: 'audio.speech', model: 'm', request: { ...request } } as const
    await services.stores.tasks.accept({ ...plain, id: 'task_1' })
    await services.stores.tasks.accept({ ...plain, id: 'task_2' })
    await runTask(services, await claimAgain(services))
    expect(await task()).toMatchObject({ status: 'SUCCESS' })
    await services.stores.voices.delete('t', 'own')
    await runTask(services, await claimAgain(services))
    expect(await services.stores.tasks.find('t', 'task_2')).toMatchObject({
      status: 'FAILED',
      error: { code: 'voice_not_found', message: 'The voice "own" was deleted' },
    })
    expect(services.logged).toEqual([])
  })
})

test('a transcription whose file was deleted before its turn fails at once with the reason', async () => {
  const request = { diarize: false, keyterms: [], source: { kind: 'file', id: 'file_1' } }
  await services.stores.tasks.accept({ id: 'task_1', tenant: 't', kind: 'audio.transcription', model: 'm', request })
  await runTask(services, await claimAgain(services))
  const error = { code: 'file_not_found', message: 'The file "file_1" does not exist or was deleted' }
  expect(await task()).toMatchObject({ status: 'FAILED', error })
  expect(services.logged).toEqual([])
})

test('an error of the request is not retried', async () => {
  services.speakWith = async () => {
    throw new UnspeakableTextError('Nothing to say')
  }
  await runTask(services, await claimedSpeech(services))
  expect(await task()).toMatchObject({
    status: 'FAILED',
    error: { code: 'unspeakable_text', message: 'Nothing to say' },
  })
  expect(await namesIn(services.objects.results)).toEqual([])
  expect(services.logged).toEqual([])
})

test.each([
  ['an internal error', new Error('secret path /x'), MAX_ATTEMPTS],
  // Another task may have caused it.
  ['a crash of the engine', new EngineFailedError('secret path /x'), MAX_STARTS],
])('%s is retried after growing delays, then fails the task without its cause', async (_what, error, max) => {
  services.speakWith = () => Promise.reject(error)
  let claim = await claimedSpeech(services)
  for (let attempt = 1; attempt < max; attempt += 1) {
    await runTask(services, claim)
    expect(await task()).toMatchObject({ status: 'PROCESSING' })
    await services.clock.pass(retryDelay(attempt) - 1)
    expect(await services.stores.tasks.claim(1000)).toBeUndefined()
    await services.clock.pass(1)
    claim = await claimAgain(services)
  }
  await runTask(services, claim)
  const failed = await task()
  expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'internal_error' } })
  expect(JSON.stringify(failed)).not.toContain('secret')
  expect(services.logged).toHaveLength(max)
})

test('an engine that is down returns the task to the queue until the retry, and no attempt counts', async () => {
  services.speakWith = async () => {
    throw new EngineUnavailableError('speech', 30)
  }
  await claimedSpeech(services)
  await services.stores.tasks.dropLeases()
  // more often than a task may fail or start
  for (let time = 0; time < 2 * MAX_STARTS; time += 1) {
    const claim = await claimAgain(services)
    expect(claim.attempt).toBe(2)
    await runTask(services, claim)
    expect(await task()).toMatchObject({ status: 'PROCESSING' })
    await services.clock.pass(29_999)
    expect(await services.stores.tasks.claim(1000)).toBeUndefined()
    await services.clock.pass(1)
  }
  expect(services.logged).toEqual([])
  services.speakWith = async () => Buffer.from('audio')
  await runTask(services, await claimAgain(services))
  expect(await task()).toMatchObject({ status: 'SUCCESS' })
})

const RECORDING = { keyterms: [], source: { kind: 'url', url: 'https://a', param: 'url' } }

test.each([
  ['speech', 'audio.speech', { text: 'Hello', pauses: false, voiceId: 'v', format: 'wav' }],
  ['recognition', 'audio.transcription', { ...RECORDING, diarize: false }],
  ['diarization', 'audio.transcription', { ...RECORDING, diarize: true }],
] as const)('a task does not start while its %s engine is down', async (engine, kind, request) => {
  const asked = vi.fn<() => Promise<never>>().mockRejectedValue(new Error('asked'))
  Object.assign(services, { speakWith: asked, fetch: asked })
  services.engines.states[engine].up = false
  await services.stores.tasks.accept({ id: 'task_1', tenant: 't', kind, model: 'm', request })
  await runTask(services, await claimAgain(services))
  expect(asked).not.toHaveBeenCalled()
  await services.clock.pass(1000 * services.engines.states[engine].retryAfterSeconds - 1)
  expect(await services.stores.tasks.claim(1000)).toBeUndefined()
  await services.clock.pass(1)
  expect((await claimAgain(services)).attempt).toBe(1)
  expect([services.clock.timers, services.logged]).toEqual([0, []])
})

test('a task succeeds after a temporary failure', async () => {
  let broken = true
  services.speakWith = async () => {
    if (broken) throw new Error('broken')
    return Buffer.from('audio')
  }
  await runTask(services, await claimedSpeech(services))
  broken = false
  await services.clock.pass(retryDelay(1))
  await runTask(services, await claimAgain(services))
  expect(await task()).toMatchObject({ status: 'SUCCESS' })
})

/** Makes the engine speak until it is stopped. */
function speakForEver() {
  const started = Promise.withResolvers<undefined>()
  const stopped = Promise.withResolvers<undefined>()
  services.speakWith = (_text, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        stopped.resolve(undefined)
        reject(signal.reason)
      })
      started.resolve(undefined)
    })
  return { started: started.promise, stopped: stopped.promise }
}

test('a stop returns the task to the queue at once, and the attempt does not count', async () => {
  const { started, stopped } = speakForEver()
  const running = runTask(services, await claimedSpeech(services))
  await started
  services.stop.abort(new Error('stopping'))
  await stopped
  await running
  expect((await claimAgain(services)).attempt).toBe(1)
  expect(await namesIn(services.objects.results)).toEqual([])
  expect(services.clock.timers).toBe(0)
})

test('a long task renews its lease', async () => {
  const started = Promise.withResolvers<() => void>()
  services.speakWith = () => new Promise((resolve) => started.resolve(() => resolve(Buffer.from('audio'))))
  const running = runTask(services, await claimedSpeech(services))
  const finish = await started.promise
  await services.clock.pass(LEASE_MS * 4)
  expect(await services.stores.tasks.claim(1000)).toBeUndefined()
  finish()
  await running
  expect(await task()).toMatchObject({ status: 'SUCCESS' })
})

test('a worker without the lease stops, and stores nothing', async () => {
  const { started, stopped } = speakForEver()
  const running = runTask(services, await claimedSpeech(services))
  await started
  await services.stores.tasks.dropLeases()
  const other = await claimAgain(services)
  await services.clock.pass(LEASE_MS / 3)
  await stopped
  await running
  expect(await task()).toMatchObject({ status: 'PROCESSING' })
  expect(await services.stores.tasks.succeed(other, { by: 'other' })).toBe(true)
})

test('a result after the lease was lost is removed, and the other worker’s stays', async () => {
  const late = await claimedSpeech(services)
  await services.stores.tasks.dropLeases()
  const other = await claimAgain(services)
  await runTask(services, other)
  await runTask(services, late)
  expect(await namesIn(services.objects.results)).toEqual([`task_1-${other.token}.wav`])
})

test('a task that crashes the process fails at last', async () => {
  await claimedSpeech(services)
  for (let start = 1; start < MAX_STARTS; start += 1) {
    await services.stores.tasks.dropLeases()
    await claimAgain(services)
  }
  await services.stores.tasks.dropLeases()
  await runTask(services, await claimAgain(services))
  expect(await task()).toMatchObject({ status: 'FAILED', error: { code: 'interrupted' } })
})

test('an interrupted stream cannot be resumed', async () => {
  await services.stores.tasks.begin({ id: 'task_1', tenant: 't', kind: 'audio.speech', model: 'm' }, 30_000)
  await services.stores.tasks.dropLeases()
  await runTask(services, await claimAgain(services))
  expect(await task()).toMatchObject({ status: 'FAILED', error: { code: 'interrupted' } })
})
