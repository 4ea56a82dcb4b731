import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuditRecord, AuditStore } from '../../src/ports/audit-store.ts'
import { START } from './stores.ts'

/** The empty audit log of a driver. */
export interface OpenedAuditStore {
  readonly audit: AuditStore
  /** Tries to change every record, without the store. */
  change(): Promise<unknown>
  close(): Promise<void>
}

const made: AuditRecord = {
  at: START,
  actor: 'client',
  action: 'uploadFile',
  outcome: 'done',
  tenant: 'first',
  key: '0123456789ab',
  id: 'file_1',
  address: '2001:db8::1',
  request: 'request-1',
  status: 200,
}
const counted: AuditRecord = { at: START, actor: 'client', action: 'authenticate', outcome: 'refused', count: 7 }
const own: AuditRecord = {
  at: START,
  actor: 'operator',
  action: 'deleteKey',
  outcome: 'begun',
  user: 'root',
  machine: 'm',
}

/** The contract of every driver of the audit log. */
export function describeAuditStore(name: string, open: () => Promise<OpenedAuditStore>): void {
  let opened: OpenedAuditStore
  beforeEach(async () => {
    opened = await open()
  })
  afterEach(() => opened.close())
  const all = async (): Promise<AuditRecord[]> => (await opened.audit.read({}, 0, 10_000)).map(({ record }) => record)
  /** The minute of each record. */
  const minutes = async (): Promise<number[]> => (await all()).map(({ at }) => (at - START) / 60_000)
  const at = (minute: number, record: AuditRecord = made): AuditRecord => ({ ...record, at: START + minute * 60_000 })
  const expireAll = async (limits: { before?: number; max?: number; operators?: number }): Promise<void> => {
    const { before = 0, max = 1e6, operators = 1e6 } = limits
    for (let left = 1; left > 0;) left = await opened.audit.expire({ before, max, operators })
  }

  describe(`${name}: audit log`, () => {
    test('records come back unchanged and in their order, however many are appended at once', async () => {
      await opened.audit.append([made, counted])
      await opened.audit.append([])
      await opened.audit.append(Array.from({ length: 450 }, (_, index) => at(index, own)))
      const [first, second, ...others] = await all()
      expect([first, second]).toEqual([made, counted])
      expect(others).toEqual(Array.from({ length: 450 }, (_, index) => at(index, own)))
    })

    test('pages follow each other without a gap', async () => {
      await opened.audit.append(Array.from({ length: 25 }, (_, index) => at(index)))
      const found: AuditRecord[] = []
      for (let after = 0; ;) {
        const page = await opened.audit.read({ tenant: 'first' }, after, 10)
        const last = page.at(-1)
        if (last === undefined) break
        found.push(...page.map(({ record }) => record))
        after = last.sequence
      }
      expect(found).toEqual(Array.from({ length: 25 }, (_, index) => at(index)))
    })

    test('a filter selects by tenant, action and time', async () => {
      await opened.audit.append([at(0), at(1, counted), at(2, { ...made, tenant: 'second' }), at(3, own)])
      const find = async (filter: Parameters<AuditStore['read']>[0]) =>
        (await opened.audit.read(filter, 0, 10)).map(({ record }) => (record.at - START) / 60_000)
      expect(await find({ tenant: 'second' })).toEqual([2])
      expect(await find({ action: 'uploadFile' })).toEqual([0, 2])
      expect(await find({ since: START + 60_000, until: START + 180_000 })).toEqual([1, 2])
      expect(await find({ tenant: 'first', action: 'deleteKey' })).toEqual([])
    })

    test('a record never changes', async () => {
      await opened.audit.append([made])
      await expect(opened.change()).rejects.toThrow('never change')
      expect(await all()).toEqual([made])
    })

    test('old records expire', async () => {
      await opened.audit.append([at(0), at(1, own), at(2), at(3, own)])
      await expireAll({ before: START + 2 * 60_000 })
      expect(await minutes()).toEqual([2, 3])
      await expireAll({ before: START + 1e9 })
      expect(await all()).toEqual([])
      await opened.audit.append([at(4)])
      expect(await minutes()).toEqual([4])
    })

    test('beyond the limit the oldest records of clients expire, and those of operators stay', async () => {
      await opened.audit.append([at(0, own), at(1), at(2, own), at(3), at(4), at(5)])
      await expireAll({ max: 2 })
      expect(await minutes()).toEqual([0, 2, 4, 5])
      await expireAll({ max: 2, operators: 1 })
      expect(await minutes()).toEqual([2, 4, 5])
    })

    test('thousands expire, a part of them with each call', async () => {
      await opened.audit.append(Array.from({ length: 6000 }, (_, index) => at(index)))
      const first = await opened.audit.expire({ before: START + 1e12, max: 1e6, operators: 1 })
      expect(first).toBeGreaterThan(0)
      expect(first).toBeLessThan(6000)
      await expireAll({ before: START + 1e12 })
      expect(await all()).toEqual([])
    })
  })
}
