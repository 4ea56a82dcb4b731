import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NO_USAGE } from '../../src/domain/usage.ts'
import type { TaskOrder } from '../../src/ports/task-store.ts'
import type { OpenStores, Stores } from './stores.ts'

const error = { code: 'broken', message: 'It broke' }

/** The contract of tenants in every driver. */
export function describeTenants(name: string, open: OpenStores): void {
  let stores: Stores
  beforeEach(async () => {
    stores = await open()
  })
  afterEach(() => stores.close())
  const accept = (id: string, tenant: string, more: Partial<TaskOrder> = {}) =>
    stores.tasks.accept({ id, tenant, kind: 'audio.speech', model: 'm', request: { text: 'Hello' }, ...more })
  const claimed = async () => (await stores.tasks.claim(1000))?.taskId
  const deleteAll = async (tenant: string): Promise<number> => {
    const rows = await stores.tenants.deleteRows(tenant)
    return rows === 0 ? 0 : rows + (await deleteAll(tenant))
  }

  describe(`${name}: tenants`, () => {
    test('every tenant is listed with what it stores', async () => {
      await accept('a', 'first')
      await accept('b', 'first')
      await stores.tasks.cancel('first', 'b', error)
      await stores.ledger.enter({ area: 'uploads', name: 'x', tenant: 'second', bytes: 5 })
      await stores.usage.add({
        counter: 'one',
        number: 1,
        rows: [{ ...NO_USAGE, tenant: 'third', day: '2027-01-15', kind: 'speech', requests: 1 }],
      })
      const none = {
        keys: 0,
        suspended: false,
        paused: false,
        openTasks: 0,
        tasks: 0,
        files: 0,
        voices: 0,
        storedBytes: 0,
      }
      expect(await stores.tenants.list()).toEqual([
        { ...none, tenant: 'first', openTasks: 1, tasks: 2 },
        { ...none, tenant: 'second', storedBytes: 5 },
        { ...none, tenant: 'third' },
      ])
    })

    test('tasks of a paused tenant stay in the queue until it is resumed, whether it had tasks before or not', async () => {
      await accept('a', 'first')
      await stores.tenants.pause('first', true)
      await stores.tenants.pause('second', true)
      await accept('b', 'second')
      await accept('c', 'third')
      expect((await stores.tenants.list()).filter(({ paused }) => paused).map(({ tenant }) => tenant)).toEqual([
        'first',
        'second',
      ])
      expect([await claimed(), await claimed()]).toEqual(['c', undefined])
      await stores.tenants.pause('first', false)
      expect([await claimed(), await claimed()]).toEqual(['a', undefined])
      await stores.tenants.pause('second', false)
      expect(await claimed()).toBe('b')
    })

    test('all rows of a tenant are deleted, more than one call deletes too, and those of others stay', async () => {
      for (let number = 0; number < 600; number += 1) await accept(`first-${number}`, 'first')
      await accept('a', 'first', { idempotency: { key: 'k', fingerprint: 'f' }, webhookUrl: 'https://example.com/' })
      const lease = await stores.tasks.claim(1000)
      if (lease === undefined) throw new Error('Not claimed')
      await stores.tasks.fail(lease, error)
      const running = await stores.tasks.claim(1000)
      if (running === undefined) throw new Error('Not claimed')
      await accept('b', 'second', { idempotency: { key: 'k', fingerprint: 'f' } })
      expect(await deleteAll('first')).toBeGreaterThan(600)
      expect(await stores.tasks.succeed(running, {})).toBe(false)
      expect((await stores.tenants.list()).map(({ tenant }) => tenant)).toEqual(['second'])
      expect(await claimed()).toBe('b')
      expect(await stores.tasks.retry('first', lease.taskId, 'c')).toBeUndefined()
    })
  })
}
