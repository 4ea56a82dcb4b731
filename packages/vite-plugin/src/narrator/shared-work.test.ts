import { getEventListeners } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { locked, SharedWork, type Work } from './shared-work.ts'

/** Work whose start and end the test controls. */
class Probe {
  readonly work = new SharedWork<string>()
  readonly runs: { readonly job: Work; readonly finish: (result: string) => void }[] = []

  run(scope: AbortSignal, gone?: AbortSignal): Promise<string> {
    return this.work.run('key', gone === undefined ? { scope } : { scope, gone }, (job) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      job.signal.addEventListener('abort', () => reject(job.signal.reason as Error))
      this.runs.push({ job, finish: resolve })
      return promise
    })
  }
}

const left = new Error('left')

test('what is wanted several times at once is done once, and anew afterwards', async () => {
  const probe = new Probe()
  const { signal } = new AbortController()
  const all = [probe.run(signal), probe.run(signal), probe.run(signal)]
  probe.runs[0]?.finish('done')
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done'])
  void probe.run(signal)
  expect(probe.runs).toHaveLength(2)
})

test('different keys are different work', async () => {
  const work = new SharedWork<string>()
  const { signal: scope } = new AbortController()
  const make = (key: string): Promise<string> => work.run(key, { scope }, () => Promise.resolve(key))
  expect(await Promise.all([make('a'), make('b')])).toEqual(['a', 'b'])
})

test('a failure reaches everyone and is not kept', async () => {
  const work = new SharedWork<string>()
  const { signal: scope } = new AbortController()
  let tries = 0
  const make = (): Promise<string> =>
    work.run('key', { scope }, () => {
      tries += 1
      return Promise.reject(new Error('no'))
    })
  const both = [make(), make()]
  for (const one of both) await expect(one).rejects.toThrow('no')
  await expect(make()).rejects.toThrow('no')
  expect(tries).toBe(2)
})

test('work goes on for a scope that still wants it, and stops with the last one', async () => {
  const probe = new Probe()
  const [first, second] = [new AbortController(), new AbortController()]
  const one = probe.run(first.signal)
  const two = probe.run(second.signal)
  probe.runs[0]?.job.started()
  first.abort(left)
  await expect(one).rejects.toBe(left)
  expect(probe.runs[0]?.job.signal.aborted).toBe(false)
  second.abort(left)
  await expect(two).rejects.toBe(left)
  expect(probe.runs[0]?.job.signal.aborted).toBe(true)
})

test('queued work that no one waits for any more is dropped', async () => {
  const probe = new Probe()
  const { signal } = new AbortController()
  const [one, two] = [new AbortController(), new AbortController()]
  const waiting = [probe.run(signal, one.signal), probe.run(signal, two.signal)]
  one.abort(left)
  await expect(waiting[0]).rejects.toBe(left)
  expect(probe.runs[0]?.job.signal.aborted).toBe(false)
  two.abort(left)
  await expect(waiting[1]).rejects.toBe(left)
  expect(probe.runs[0]?.job.signal.reason).toBe(left)
})

test('work that has begun is finished though no one waits, and the next one gets it', async () => {
  const probe = new Probe()
  const { signal } = new AbortController()
  const leaving = new AbortController()
  const first = probe.run(signal, leaving.signal)
  probe.runs[0]?.job.started()
  leaving.abort(left)
  await expect(first).rejects.toBe(left)
  const second = probe.run(signal)
  probe.runs[0]?.finish('done')
  expect(await second).toBe('done')
  expect(probe.runs).toHaveLength(1)
})

test('nobody joins work that was stopped', async () => {
  const probe = new Probe()
  const [first, second] = [new AbortController(), new AbortController()]
  const stopped = probe.run(first.signal)
  first.abort(left)
  const fresh = probe.run(second.signal)
  await expect(stopped).rejects.toBe(left)
  expect(probe.runs).toHaveLength(2)
  probe.runs[1]?.finish('done')
  expect(await fresh).toBe('done')
})

test('a scope that has ended gets no work', async () => {
  const probe = new Probe()
  await expect(probe.run(AbortSignal.abort(left))).rejects.toBe(left)
  await expect(probe.run(new AbortController().signal, AbortSignal.abort(left))).rejects.toBe(left)
  expect(probe.runs[0]?.job.signal.aborted ?? true).toBe(true)
})

test('signals keep no listener', async () => {
  const probe = new Probe()
  const [scope, gone] = [new AbortController(), new AbortController()]
  const all = [probe.run(scope.signal, gone.signal), probe.run(scope.signal, gone.signal)]
  probe.runs[0]?.finish('done')
  await Promise.all(all)
  await Promise.resolve()
  expect(getEventListeners(scope.signal, 'abort')).toHaveLength(0)
  expect(getEventListeners(gone.signal, 'abort')).toHaveLength(0)
})

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'narration-lock-'))
  // Ages of files do not depend on the speed of the machine.
  vi.spyOn(Date, 'now').mockReturnValue(Date.now())
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true, force: true })
})
const files = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map(({ name }) => name)
const path = (): string => join(folder, 'deep', 'a.lock')
/** The id of a process that has ended: ids end below this number. */
const DEAD = 2 ** 30
const never = new AbortController().signal
const HELD = new Error('held')

/** Runs a task under the lock if it is free or stale. */
async function tryLocked<Result>(task: () => Promise<Result>): Promise<Result | undefined> {
  return locked(path(), AbortSignal.abort(HELD), task).catch((error: unknown) => {
    if (error !== HELD) throw error
    return undefined
  })
}

const write = async (content: unknown, ageSeconds = 0): Promise<void> => {
  await mkdir(dirname(path()), { recursive: true })
  await writeFile(path(), typeof content === 'string' ? content : JSON.stringify(content))
  const time = Date.now() / 1000 - ageSeconds
  await utimes(path(), time, time)
}

test('a lock is held by one at a time, and free once released', async () => {
  const order: string[] = []
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = locked(path(), never, async () => {
    order.push('first')
    second.resolve()
    await first.promise
    order.push('first is done')
  })
  await second.promise
  const waiting = locked(path(), never, async () => order.push('second'))
  first.resolve()
  await Promise.all([held, waiting])
  expect(order).toEqual(['first', 'first is done', 'second'])
  expect(await files()).toEqual([])
})

test.each([
  ['a dead process of this machine', { host: hostname(), pid: DEAD }, 0, true],
  ['a living process of this machine, however old', { host: hostname(), pid: process.pid }, 3600, false],
  ['another machine, renewed lately', { host: 'elsewhere.example', pid: DEAD }, 25, false],
  ['another machine, not renewed for half a minute', { host: 'elsewhere.example', pid: DEAD }, 31, true],
  ['a process that is just writing it', '{"host":', 0, false],
  ['a process that was killed while writing it', '{"host":', 31, true],
  ['no process', 'null', 31, true],
  ['no number of a process', { host: hostname(), pid: '7' }, 31, true],
])('a lock of %s is taken over: %s', async (_, content, age, isTaken) => {
  await write(content, age)
  const before = await readFile(path(), 'utf8')
  const held = await tryLocked(() => readFile(path(), 'utf8'))
  expect(held !== undefined).toBe(isTaken)
  expect(held).not.toBe(before)
  // Neither a lock nor a stale one is left behind.
  expect(await files()).toHaveLength(isTaken ? 0 : 1)
})

test('a stale lock has one new holder, however many want it', async () => {
  for (let round = 0; round < 100; round += 1) {
    await write({ host: hostname(), pid: DEAD })
    const { promise: allTried, resolve } = Promise.withResolvers<void>()
    let tries = 0
    const tried = (): void => {
      tries += 1
      if (tries === 8) resolve()
    }
    const taken = Array.from({ length: 8 }, async () => {
      const held = await tryLocked(async () => {
        tried()
        await allTried
        return true
      })
      if (held === undefined) tried()
      return held
    })
    expect((await Promise.all(taken)).filter((held) => held === true)).toHaveLength(1)
    expect(await files()).toEqual([])
  }
})

test('a folder of a lock that cannot be written is an error', async () => {
  await writeFile(join(folder, 'deep'), 'a file')
  await expect(locked(path(), never, async () => 1)).rejects.toThrow(/EEXIST|ENOTDIR/)
})

test('waiting for a lock ends with the reason of an abort', async () => {
  const reason = new Error('stopped')
  await write({ host: hostname(), pid: process.pid })
  await expect(locked(path(), AbortSignal.abort(reason), async () => 1)).rejects.toBe(reason)
  const controller = new AbortController()
  const waiting = locked(path(), controller.signal, async () => 1)
  setImmediate(() => controller.abort(reason))
  await expect(waiting).rejects.toBe(reason)
})
