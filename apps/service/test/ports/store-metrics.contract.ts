import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type OpenStores, START, type Stores } from './stores.ts'

const TASK = { tenant: 'first', kind: 'audio.speech', model: 'm', request: { text: 'Hello' } } as const

/** The contract of the counts of stored data. */
export function describeStoreMetrics(name: string, open: OpenStores): void {
  let stores: Stores
  beforeEach(async () => {
    stores = await open()
  })
  afterEach(() => stores.close())

  describe(`${name}: counts`, () => {
    test('an empty store has nothing', async () => {
      expect(await stores.metrics.read()).toMatchObject({
        tasks: { PENDING: 0, PROCESSING: 0 },
        queued: 0,
        oldestQueuedAt: undefined,
        pendingWebhooks: 0,
        storedBytes: { uploads: 0, inputs: 0, results: 0 },
      })
    })

    test('open tasks count by state, ended ones do not; webhooks count until they are delivered', async () => {
      const webhookUrl = 'https://hook.example/'
      for (const id of ['a', 'b', 'c', 'd']) await stores.tasks.accept({ ...TASK, id, webhookUrl })
      const [one, two] = [await stores.tasks.claim(1000), await stores.tasks.claim(1000)]
      if (one === undefined || two === undefined) throw new Error('Nothing to claim')
      await stores.tasks.succeed(one, { file: 'f' })
      expect(await stores.metrics.read()).toMatchObject({
        tasks: { PENDING: 2, PROCESSING: 1 },
        queued: 2,
        oldestQueuedAt: START,
        pendingWebhooks: 1,
      })
      const call = await stores.outbox.claim(1000)
      if (call !== undefined) await stores.outbox.record(call, { outcome: 'HTTP 204', next: 'delivered' })
      expect((await stores.metrics.read()).pendingWebhooks).toBe(0)
    })

    test('bytes count by area while their objects are in the ledger', async () => {
      const entry = { area: 'uploads', tenant: 'first', bytes: 70 } as const
      await stores.ledger.enter({ ...entry, name: 'a' })
      await stores.ledger.enter({ ...entry, name: 'b', area: 'results' })
      await stores.ledger.enter({ ...entry, name: 'b', area: 'results', bytes: 5 })
      expect(await stores.ledger.enter({ ...entry, name: 'c' }, 100)).toBe(false)
      expect((await stores.metrics.read()).storedBytes).toEqual({ uploads: 70, inputs: 0, results: 5 })
      await stores.ledger.strike('uploads', ['a'])
      await stores.ledger.retain('results', new Set())
      expect((await stores.metrics.read()).storedBytes).toEqual({ uploads: 0, inputs: 0, results: 0 })
    })

    test('expired rows are counted by kind', async () => {
      const none = { files: START, inputs: START, requests: START, responses: START, tasks: START }
      await stores.tasks.accept({ ...TASK, id: 'input', input: 'x' })
      await stores.tasks.accept({ ...TASK, id: 'ended' })
      await stores.responses.keep('first', { key: 'k', fingerprint: 'f' }, {})
      const lease = await stores.tasks.claim(1000)
      if (lease !== undefined) await stores.tasks.fail(lease, { code: 'c', message: 'm' })
      await stores.tasks.accept({ ...TASK, id: 'again', input: 'y' })
      expect(await stores.metrics.countExpired(none)).toEqual({
        files: 0,
        inputs: 0,
        requests: 0,
        responses: 0,
        tasks: 0,
      })
      const later = START + 1000
      const all = { files: later, inputs: later, requests: later, responses: later, tasks: later }
      expect(await stores.metrics.countExpired(all)).toEqual({
        files: 0,
        inputs: 1,
        requests: 1,
        responses: 1,
        tasks: 1,
      })
      const unlimited = { ...all, files: -Infinity }
      expect(await stores.metrics.countExpired(unlimited)).toMatchObject({ files: 0, tasks: 1 })
    })
  })
}
