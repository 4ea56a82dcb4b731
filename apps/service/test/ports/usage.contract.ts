import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NO_USAGE, type UsageRow } from '../../src/domain/usage.ts'
import type { TaskOrder } from '../../src/ports/task-store.ts'
import type { OpenStores, Stores } from './stores.ts'

const DAY = '2027-01-15'
const DAY_MS = 86_400_000
const ALL = { from: '2000-01-01', to: '2099-12-31' }
const error = { code: 'broken', message: 'It broke' }
const work = { characters: 20, speechMs: 1500, recordingMs: 0 }
const speech = { ...NO_USAGE, tenant: 'first', day: DAY, kind: 'speech' } as const

/** The contract of usage in every driver. */
export function describeUsage(name: string, open: OpenStores): void {
  let stores: Stores
  beforeEach(async () => {
    stores = await open()
  })
  afterEach(() => stores.close())
  const accept = (id: string, more: Partial<TaskOrder> = {}) =>
    stores.tasks.accept({ id, tenant: 'first', kind: 'audio.speech', model: 'm', request: { text: 'Hello' }, ...more })
  const claim = async () => {
    const claimed = await stores.tasks.claim(1000)
    if (claimed === undefined) throw new Error('Nothing to claim')
    return claimed
  }
  const all = (tenant?: string) => stores.usage.read({ ...ALL, tenant })
  const batch = (number: number, rows: readonly UsageRow[]) => stores.usage.add({ counter: 'one', number, rows })

  describe(`${name}: usage of tasks`, () => {
    test('a task counts once, with its work, on the day of its end and for its tenant', async () => {
      await accept('a')
      await accept('b', { tenant: 'second', kind: 'audio.transcription' })
      await stores.tasks.succeed(await claim(), { file: 'f' }, work)
      stores.clock.now += DAY_MS
      await stores.tasks.succeed(await claim(), { text: 't' }, { characters: 0, speechMs: 0, recordingMs: 60_000 })
      expect(await all()).toEqual([
        { ...speech, succeeded: 1, characters: 20, speechMs: 1500 },
        { ...NO_USAGE, tenant: 'second', day: '2027-01-16', kind: 'transcription', succeeded: 1, recordingMs: 60_000 },
      ])
    })

    test('a worker whose lease was lost counts nothing', async () => {
      await accept('a')
      const first = await claim()
      stores.clock.now += 2000
      const second = await claim()
      expect(await stores.tasks.succeed(first, { file: 'f' }, work)).toBe(false)
      expect(await all()).toEqual([])
      await stores.tasks.succeed(second, { file: 'g' }, work)
      expect(await stores.tasks.succeed(second, { file: 'g' }, work)).toBe(false)
      expect(await all()).toEqual([{ ...speech, succeeded: 1, characters: 20, speechMs: 1500 }])
    })

    test('failed, cancelled and expired tasks count as failed', async () => {
      await accept('a')
      await stores.tasks.fail(await claim(), error)
      await accept('b')
      await stores.tasks.cancel('first', 'b', error)
      await accept('c', { input: 'c' })
      await accept('d', { input: 'd' })
      await accept('e', { input: 'e', tenant: 'second', kind: 'audio.voice_generation' })
      await stores.tasks.expireInputs({ before: stores.clock.now + 1, limit: 10 }, error)
      expect(await all()).toEqual([
        { ...speech, failed: 4 },
        { ...speech, tenant: 'second', kind: 'voice_generation', failed: 1 },
      ])
    })

    test('a stream that fails counts the work until then', async () => {
      const lease = await stores.tasks.begin({ id: 's', tenant: 'first', kind: 'audio.speech', model: 'm' }, 1000)
      await stores.tasks.fail(lease, error, work)
      expect(await all()).toEqual([{ ...speech, failed: 1, characters: 20, speechMs: 1500 }])
    })

    test('tasks that end together all count', async () => {
      const ids = Array.from({ length: 20 }, (_, n) => `task_${n}`)
      await Promise.all(ids.map((id) => accept(id)))
      const claims = []
      for (const _ of ids) claims.push(await claim())
      await Promise.all(claims.map((one) => stores.tasks.succeed(one, { file: 'f' }, work)))
      expect(await all()).toEqual([{ ...speech, succeeded: 20, characters: 400, speechMs: 30_000 }])
    })
  })

  describe(`${name}: usage without tasks`, () => {
    test('an entered object counts its bytes, a refused one does not, and a deleted one stays counted', async () => {
      const entry = { area: 'uploads', tenant: 'first', bytes: 70 } as const
      expect(await stores.ledger.enter({ ...entry, name: 'a' }, 100)).toBe(true)
      expect(await stores.ledger.enter({ ...entry, name: 'b' }, 100)).toBe(false)
      await stores.ledger.strike('uploads', ['a'])
      expect(await all()).toEqual([{ ...speech, kind: 'storage', storedBytes: 70 }])
    })

    test('batches add up, and a batch that is sent twice counts once', async () => {
      const rows = [
        { ...speech, requests: 2, characters: 10 },
        { ...speech, kind: 'other', requests: 5 },
      ] as const
      await batch(1, rows)
      await batch(1, rows)
      await batch(2, rows)
      await stores.usage.add({ counter: 'another', number: 1, rows })
      expect(await all()).toEqual([
        { ...speech, kind: 'other', requests: 15 },
        { ...speech, requests: 6, characters: 30 },
      ])
      const other = await stores.reopen()
      expect(await other.usage.read({ ...ALL, tenant: 'first' })).toHaveLength(2)
    })

    test('a query selects a tenant and days, both included', async () => {
      const one = (day: string): UsageRow => ({ ...speech, day, requests: 1 })
      const days = ['2027-01-14', DAY, '2027-01-16', '2027-01-17']
      await batch(1, [...days.map((day) => one(day)), { ...speech, tenant: 'second', requests: 9 }])
      const found = await stores.usage.read({ tenant: 'first', from: DAY, to: '2027-01-16' })
      expect(found.map(({ day }) => day)).toEqual([DAY, '2027-01-16'])
      expect(await all('second')).toEqual([{ ...speech, tenant: 'second', requests: 9 }])
      expect(await all('third')).toEqual([])
    })

    test('days before a day are forgotten', async () => {
      await batch(1, [
        { ...speech, day: '2026-12-31', requests: 1 },
        { ...speech, requests: 1 },
      ])
      await stores.usage.forget({ days: DAY, counters: DAY, limit: 1000 })
      expect((await all()).map(({ day }) => day)).toEqual([DAY])
    })

    test('a large batch is stored whole', async () => {
      const rows = Array.from({ length: 1200 }, (_, n) => ({ ...speech, tenant: `tenant-${n}`, requests: n }))
      await batch(1, rows)
      const found = await all()
      expect(found).toHaveLength(1200)
      expect(found.reduce((sum, { requests }) => sum + requests, 0)).toBe((1200 * 1199) / 2)
    })
  })

  describe(`${name}: traces`, () => {
    test('the trace of an accepted task reaches its claim, its read and its webhook', async () => {
      const trace = { requestId: 'r', traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }
      await accept('a', { trace, webhookUrl: 'https://hook.example/' })
      const claimed = await claim()
      expect(claimed.task.trace).toEqual(trace)
      await stores.tasks.succeed(claimed, { file: 'f' })
      expect((await stores.tasks.find('first', 'a'))?.trace).toEqual(trace)
      expect((await stores.outbox.claim(1000))?.task.trace).toEqual(trace)
    })

    test('a task without a trace has none', async () => {
      await accept('a')
      expect((await claim()).task).not.toHaveProperty('trace')
    })
  })
}
