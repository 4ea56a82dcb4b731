import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type FakeServices,
  claimAgain,
  claimedSpeech,
  createFakeServices,
  namesIn,
} from '../../test/support/fake-services.ts'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { compareWithLedger, findOrphans, removeOrphans } from './orphans.ts'
import { recover, startSweeping, sweep } from './sweep.ts'

describe('a sweep', () => {
  const HOUR = 3600 * 1000
  const lifetimes = {
    inputs: 24 * HOUR,
    failedRequests: 24 * HOUR,
    results: 48 * HOUR,
    responses: 24 * HOUR,
    audit: 90 * 24 * HOUR,
  }

  let services: FakeServices
  beforeEach(async () => {
    services = await createFakeServices()
  })
  afterEach(() => services.close())

  async function keep(
    name: string,
    store: 'inputs' | 'uploads' | 'results',
    storedAt = services.clock.now(),
  ): Promise<void> {
    const path = join(services.dataDir, 'file')
    await writeFile(path, 'x')
    await utimes(path, storedAt / 1000, storedAt / 1000)
    await services.objects[store].of('t').putFile(name, path)
  }

  async function acceptWith(input: string): Promise<void> {
    await keep(input, 'inputs')
    await services.stores.tasks.accept({
      id: `task_${input}`,
      tenant: 't',
      kind: 'audio.transcription',
      model: 'm',
      request: {},
      input,
      webhookUrl: 'https://example.com/',
    })
  }

  test('a start removes partial uploads and what the database knows as unneeded, and no object without a row', async () => {
    await mkdir(join(services.objects.uploadFolder, 'upload-x'))
    await writeFile(join(services.objects.uploadFolder, 'upload-x', 'file'), 'half')
    await acceptWith('needed')
    await keep('unneeded', 'inputs')
    await writeFile(join(services.dataDir, 'files', 'file_1'), 'never entered')
    await recover(services)
    expect(await readdir(services.objects.uploadFolder)).toEqual([])
    expect(await namesIn(services.objects.inputs)).toEqual(['needed'])
    expect(await namesIn(services.objects.uploads)).toEqual(['file_1'])
  })

  test('a start resumes tasks in flight', async () => {
    await claimedSpeech(services)
    expect(await services.stores.tasks.claim(1000)).toBeUndefined()
    await recover(services)
    expect((await claimAgain(services)).taskId).toBe('task_1')
  })

  test('an expired input is removed, and its task fails and calls its webhook', async () => {
    await acceptWith('old')
    await services.clock.pass(24 * HOUR + 1)
    await acceptWith('young')
    await sweep(services, lifetimes)
    expect(await namesIn(services.objects.inputs)).toEqual(['young'])
    expect(await services.stores.tasks.find('t', 'task_old')).toMatchObject({
      status: 'FAILED',
      error: { code: 'input_expired' },
    })
    expect((await services.stores.outbox.claim(1000))?.task.id).toBe('task_old')
  })

  test('an uploaded file expires with its bytes and its quota, and stays without a lifetime', async () => {
    const upload = async (id: string): Promise<void> => {
      await keep(id, 'uploads')
      await services.stores.files.accept({ id, tenant: 't', filename: 'a', purpose: '', bytes: 1 })
    }
    await upload('old')
    await services.clock.pass(72 * HOUR)
    await upload('young')
    await sweep(services, lifetimes)
    expect(await namesIn(services.objects.uploads)).toHaveLength(2)
    await sweep(services, { ...lifetimes, uploads: 71 * HOUR })
    expect(await namesIn(services.objects.uploads)).toEqual(['young'])
    expect(await services.stores.files.find('t', 'old')).toBeUndefined()
    expect(await services.stores.files.find('t', 'young')).toBeDefined()
    expect((await services.stores.metrics.read()).storedBytes).toEqual({ uploads: 1, inputs: 0, results: 0 })
  })

  test('the three lifetimes are independent', async () => {
    const all = {
      uploads: 1000 * HOUR,
      inputs: 1000 * HOUR,
      failedRequests: 1000 * HOUR,
      results: 1000 * HOUR,
      responses: 1000 * HOUR,
      audit: 9 * HOUR,
    }
    for (const [short, left] of [
      ['uploads', { uploads: 0, inputs: 1, results: 1 }],
      ['inputs', { uploads: 0, inputs: 0, results: 1 }],
      ['results', { uploads: 0, inputs: 0, results: 0 }],
    ] as const) {
      if (short === 'uploads') {
        await keep('file', 'uploads')
        await services.stores.files.accept({ id: 'file', tenant: 't', filename: 'a', purpose: '', bytes: 1 })
        await acceptWith('input')
        await keep('a.wav', 'results')
        await services.clock.pass(2 * HOUR)
      }
      await sweep(services, { ...all, [short]: HOUR })
      expect((await services.stores.metrics.read()).storedBytes).toEqual(left)
    }
  })

  test('records of the audit log expire after their lifetime', async () => {
    const record = { actor: 'operator', action: 'drain', outcome: 'done' } as const
    for (const age of [3, 2, 0.5])
      await services.stores.audit.append([{ ...record, at: services.clock.now() - age * HOUR }])
    await sweep(services, { ...lifetimes, audit: HOUR })
    expect(await services.stores.audit.read({}, 0, 10)).toMatchObject([
      { record: { at: services.clock.now() - 0.5 * HOUR } },
    ])
  })

  test('results and their tasks expire after their lifetime, and others stay', async () => {
    await keep('old.wav', 'results')
    const claim = await claimedSpeech(services)
    await services.stores.tasks.succeed(claim, { file: 'old.wav' })
    await services.clock.pass(47 * HOUR)
    await keep('young.wav', 'results')
    await sweep(services, lifetimes)
    expect(await namesIn(services.objects.results)).toHaveLength(2)
    await services.clock.pass(HOUR + 1000)
    await sweep(services, lifetimes)
    expect(await namesIn(services.objects.results)).toEqual(['young.wav'])
    expect(await services.stores.tasks.find('t', 'task_1')).toBeUndefined()
  })

  test('responses expire after their lifetime', async () => {
    const request = { key: 'k', fingerprint: 'f' }
    await services.stores.responses.keep('t', request, { id: 'a' })
    await services.clock.pass(23 * HOUR)
    await sweep(services, lifetimes)
    expect((await services.stores.responses.find('t', request)).outcome).toBe('repeated')
    await services.clock.pass(HOUR + 1)
    await sweep(services, lifetimes)
    expect((await services.stores.responses.find('t', request)).outcome).toBe('new')
  })

  test('sweeping continues after errors until it is stopped, and leaves no timer', async () => {
    await keep('a.wav', 'results', services.clock.now() - 47 * HOUR)
    const broken = {
      ...services,
      stores: {
        ...services.stores,
        tasks: { ...services.stores.tasks, forget: () => Promise.reject(new Error('disk full')) },
      },
    }
    const stop = startSweeping(broken, lifetimes)
    await settle()
    expect(services.logged.join('')).toContain('sweeping failed')
    await services.clock.pass(600_000)
    expect(services.logged.length).toBeGreaterThan(1)
    await stop()
    expect(services.clock.timers).toBe(0)
  })

  test.each([-8 * 24, -1, 1, 8 * 24])(
    'a process whose clock is %i hours off sweeps by the time of the database, and says so',
    async (hours) => {
      await acceptWith('old')
      await services.clock.pass(3_600_001)
      await keep('input', 'inputs')
      const order = {
        id: 'task',
        tenant: 't',
        kind: 'audio.transcription',
        model: 'm',
        request: {},
        input: 'input',
      } as const
      await services.stores.tasks.accept(order)
      const off = {
        ...services,
        runtime: {
          ...services.runtime,
          clock: {
            now: () => services.clock.now() + hours * 3_600_000,
            setTimer: services.clock.setTimer.bind(services.clock),
          },
        },
      }
      const stop = startSweeping(off, {
        inputs: 3_600_000,
        failedRequests: 3_600_000,
        results: 3_600_000,
        responses: 3_600_000,
        audit: 3_600_000,
      })
      await expect.poll(() => services.logged.join('')).toContain('the clock of this process is off')
      await expect.poll(() => services.stores.leaderLock.ages().then((ages) => ages.has('sweep results'))).toBe(true)
      await stop()
      expect(services.runtime.clockOffset.isOff).toBe(true)
      expect((await services.stores.tasks.find('t', 'task'))?.status).toBe('PENDING')
      expect((await services.stores.tasks.find('t', 'task_old'))?.status).toBe('FAILED')
      expect(await namesIn(services.objects.inputs)).toEqual(['input'])
    },
  )

  test('the sweep of a process whose clock is right uses the time of the database', async () => {
    const times: number[] = []
    const forget: typeof services.stores.tasks.forget = async ({ before }) => {
      times.push(before)
      return { count: 0, objects: [] }
    }
    const ahead = { now: () => services.clock.now() + 30_000, setTimer: services.clock.setTimer.bind(services.clock) }
    const stop = startSweeping(
      {
        ...services,
        runtime: { ...services.runtime, clock: ahead },
        stores: { ...services.stores, tasks: { ...services.stores.tasks, forget } },
      },
      { inputs: 1, failedRequests: 1, results: 1000, responses: 1, audit: 1 },
    )
    await expect.poll(() => times.length).toBe(1)
    await stop()
    expect(times).toEqual([services.clock.now() - 1000])
  })
})

describe('orphans', () => {
  const HOUR = 3600 * 1000
  const lifetimes = {
    inputs: 24 * HOUR,
    failedRequests: 24 * HOUR,
    results: 48 * HOUR,
    responses: 24 * HOUR,
    audit: 90 * 24 * HOUR,
  }
  const FOLDERS = { uploads: 'files', inputs: 'inputs', results: 'results' } as const
  type Store = keyof typeof FOLDERS

  let services: FakeServices
  beforeEach(async () => {
    services = await createFakeServices()
  })
  afterEach(() => services.close())

  /** Stores an object that the database enters. */
  async function enter(name: string, store: Store, storedAt = services.clock.now()): Promise<void> {
    const path = join(services.dataDir, 'file')
    await writeFile(path, 'x')
    await utimes(path, storedAt / 1000, storedAt / 1000)
    await services.objects[store].of('t').putFile(name, path)
  }

  /** Stores an object that the database knows nothing of. */
  async function leave(name: string, store: Store, storedAt = services.clock.now()): Promise<void> {
    const path = join(services.dataDir, FOLDERS[store], name)
    await writeFile(path, 'x')
    await utimes(path, storedAt / 1000, storedAt / 1000)
  }

  async function upload(name: string): Promise<void> {
    await enter(name, 'uploads')
    await services.stores.files.accept({ id: name, tenant: 't', filename: 'a', purpose: '', bytes: 1 })
  }

  test('an object that the database has entered and nothing needs is removed, with its quota and a count in the log', async () => {
    await upload('needed')
    await enter('crashed', 'uploads')
    await enter('input', 'inputs')
    await enter('task_1-1.wav', 'results')
    await enter('task_1-2.wav', 'results')
    await services.stores.tasks.succeed(await claimedSpeech(services), { file: 'task_1-2.wav' })
    await enter('speech_1.wav', 'results')
    await removeOrphans(services, { unnamed: true })
    expect(await namesIn(services.objects.uploads)).toEqual(['needed'])
    expect(await namesIn(services.objects.inputs)).toEqual([])
    expect((await namesIn(services.objects.results)).toSorted()).toEqual(['speech_1.wav', 'task_1-2.wav'])
    expect((await services.stores.metrics.read()).storedBytes).toEqual({ uploads: 1, inputs: 0, results: 2 })
    expect(services.logged.join('\n')).toMatch(/were removed \{"area":"uploads","removed":1,"objects":2\}/)
  })

  test('an object of the last hour stays: its row may follow', async () => {
    await services.clock.pass(2 * HOUR)
    await enter('young', 'uploads')
    await removeOrphans(services, { before: services.clock.now() - HOUR, unnamed: true })
    expect(await namesIn(services.objects.uploads)).toEqual(['young'])
  })

  test('one upload of twenty without a row is removed', async () => {
    for (let count = 0; count < 19; count += 1) await upload(`file_${count}`)
    await leave('crashed', 'uploads')
    await removeOrphans(services)
    expect(await namesIn(services.objects.uploads)).toContain('crashed')
    await removeOrphans(services, { unnamed: true })
    expect(await namesIn(services.objects.uploads)).not.toContain('crashed')
  })

  test('more than one upload of twenty without a row stay, and the log says how many and what to do', async () => {
    for (let count = 0; count < 18; count += 1) await upload(`file_${count}`)
    await leave('lost-1', 'uploads')
    await leave('lost-2', 'uploads')
    await removeOrphans(services, { unnamed: true })
    expect(await namesIn(services.objects.uploads)).toHaveLength(20)
    expect(services.logged.join('\n')).toMatch(
      /objects without a row in the database stay: .*orphans list.* \{"area":"uploads","unnamed":2,"objects":20\}/,
    )
  })

  test('a start counts the objects without a row in the log, and strikes entries without an object', async () => {
    await leave('lost', 'uploads')
    await leave('task_9-1.wav', 'results')
    await enter('speech_1.wav', 'results')
    await compareWithLedger(services)
    expect(services.logged).toEqual([
      expect.stringMatching(/stay for an hour .*\{"unnamed":\{"uploads":1,"results":1\}\}/),
    ])
  })

  test('inputs and results without a row stay for the first hour of the service, then until their lifetime is over', async () => {
    const old = services.clock.now() - 100 * HOUR
    await leave('old-input', 'inputs', old)
    await leave('old.wav', 'results', old)
    await enter('entered.wav', 'results', old)
    await leave('young-input', 'inputs')
    await leave('young.wav', 'results')
    const stop = startSweeping(services, lifetimes)
    await settle()
    for (let minutes = 0; minutes < 50; minutes += 10) {
      await services.clock.pass(600_000)
      await settle()
    }
    expect((await namesIn(services.objects.inputs)).toSorted()).toEqual(['old-input', 'young-input'])
    await expect
      .poll(async () => (await namesIn(services.objects.results)).toSorted())
      .toEqual(['old.wav', 'young.wav'])
    await services.clock.pass(600_000)
    await services.clock.pass(600_000)
    await expect.poll(() => namesIn(services.objects.inputs)).toEqual(['young-input'])
    await expect.poll(() => namesIn(services.objects.results)).toEqual(['young.wav'])
    await stop()
  })

  test('an hour after the start, few uploads without a row that were stored before it are removed', async () => {
    for (let count = 0; count < 20; count += 1) await upload(`file_${count}`)
    await leave('crashed', 'uploads', services.clock.now() - 1000)
    const stop = startSweeping(services, lifetimes)
    await services.clock.pass(50 * 60_000)
    await settle()
    expect(await namesIn(services.objects.uploads)).toContain('crashed')
    await services.clock.pass(600_000)
    await services.clock.pass(600_000)
    await expect.poll(() => namesIn(services.objects.uploads)).toHaveLength(20)
    await stop()
  })

  test('objects that were stored later are no orphans', async () => {
    await leave('young', 'inputs')
    const { known, unnamed, of } = await findOrphans(services, 'inputs', services.clock.now())
    expect({ known, unnamed, of }).toEqual({ known: [], unnamed: [], of: 1 })
  })
})
