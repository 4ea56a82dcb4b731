import { describe, expect, test } from 'vitest'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import type { AuditRecord, AuditStore } from '../ports/audit-store.ts'
import { type Act, auditEngineUses, AuditTrail } from './audit-trail.ts'

const upload: Act = { action: 'uploadFile', outcome: 'done', tenant: 't', id: 'file_1', status: 200 }
const refused: Act = { action: 'authenticate', outcome: 'refused', address: '192.0.2.1', status: 401, request: 'r' }

/** A trail over a log whose disk the test controls. */
function open() {
  const clock = new ManualClock()
  const written: AuditRecord[] = []
  const writes: number[] = []
  const logged: string[] = []
  const disk = { full: false }
  const audit: Pick<AuditStore, 'append'> = {
    async append(records) {
      if (disk.full) throw new Error('no space')
      writes.push(records.length)
      written.push(...records)
    },
  }
  const log = (_details: object, message: string): void => void logged.push(message)
  const trail = new AuditTrail({ audit, clock, log: { error: log, warn: log, info: log } })
  return { trail, clock, written, writes, logged, disk }
}

test('acts are written together, in their order, half a second later', async () => {
  const { trail, clock, written, writes } = open()
  for (let index = 0; index < 3; index += 1) trail.note({ ...upload, id: `file_${index}` })
  expect(written).toEqual([])
  await clock.pass(500)
  expect(written.map(({ id }) => id)).toEqual(['file_0', 'file_1', 'file_2'])
  expect(written[0]).toMatchObject({ actor: 'client', at: expect.any(Number) })
  expect(writes).toEqual([3])
})

test('a flush writes all acts and the counts of the minute', async () => {
  const { trail, written } = open()
  trail.note(upload)
  trail.note(refused)
  await trail.flush()
  expect(written.map(({ action }) => action)).toEqual(['uploadFile', 'authenticate'])
})

test('an act of the service is on the disk when its promise resolves', async () => {
  const { trail, written } = open()
  await trail.noteOwn({ action: 'startService', outcome: 'done', machine: 'm' })
  expect(written).toMatchObject([{ actor: 'service', action: 'startService', machine: 'm' }])
})

describe('refusals', () => {
  test('equal ones of a minute are one record with their number', async () => {
    const { trail, clock, written } = open()
    const start = clock.now()
    for (let index = 0; index < 5; index += 1) trail.note({ ...refused, request: `r${index}` })
    trail.note({ ...refused, address: '192.0.2.2' })
    trail.note({ ...refused, status: 429 })
    await clock.pass(59_000)
    expect(written).toEqual([])
    await clock.pass(2000)
    const { request: _, ...each } = refused
    expect(written).toEqual([
      { ...each, at: start, actor: 'client', count: 5, request: undefined },
      { ...each, at: start, actor: 'client', address: '192.0.2.2', request: 'r' },
      { ...each, at: start, actor: 'client', status: 429, request: 'r' },
    ])
    trail.note(refused)
    await clock.pass(61_000)
    expect(written).toHaveLength(4)
  })

  test('of thousands of addresses, most share one record without an address', async () => {
    const { trail, written } = open()
    for (let index = 0; index < 3000; index += 1) trail.note({ ...refused, address: `2001:db8::${index}` })
    await trail.flush()
    expect(written.length).toBeLessThanOrEqual(201)
    const counts = written.map(({ count = 1 }) => count)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3000)
    const shared = { actor: 'client', action: 'authenticate', outcome: 'refused', status: 401 }
    expect(written.at(-1)).toEqual({ ...shared, at: written[0]?.at, count: 2800, request: undefined })
  })

  test('failures are counted too', async () => {
    const { trail, written } = open()
    for (let index = 0; index < 4; index += 1) trail.note({ ...upload, outcome: 'failed', status: 503 })
    await trail.flush()
    expect(written).toMatchObject([{ outcome: 'failed', status: 503, count: 4 }])
  })
})

describe('a full disk', () => {
  test('records wait for it, one line says so, and they are written in order', async () => {
    const { trail, clock, written, logged, disk } = open()
    disk.full = true
    trail.note({ ...upload, id: 'file_1' })
    await clock.pass(500)
    trail.note({ ...upload, id: 'file_2' })
    await clock.pass(20_000)
    expect(written).toEqual([])
    expect(logged).toEqual(['the audit log cannot be written; its records wait'])
    disk.full = false
    await clock.pass(5000)
    expect(written.map(({ id }) => id)).toEqual(['file_1', 'file_2'])
  })

  test('the memory of waiting records is bounded, and the log says how many are missing', async () => {
    const { trail, clock, written, disk } = open()
    disk.full = true
    for (let index = 0; index < 12_345; index += 1) trail.note({ ...upload, id: `file_${index}` })
    await clock.pass(500)
    disk.full = false
    await clock.pass(5000)
    expect(written).toHaveLength(10_001)
    expect(written.filter(({ actor }) => actor === 'service')).toMatchObject([{ action: 'dropRecords', count: 2345 }])
    trail.note(upload)
    await clock.pass(500)
    expect(written).toHaveLength(10_002)
  })

  test('a flush ends although nothing can be written', async () => {
    const { trail, disk, written } = open()
    disk.full = true
    trail.note(upload)
    await trail.flush()
    expect(written).toEqual([])
  })
})

test('the log has one record for each piece of work and engine, however many texts it has', () => {
  const acts: Act[] = []
  const { begun } = auditEngineUses({ note: (act) => void acts.push(act) })
  const far = { engine: 'far', port: 'speech' } as const
  const [dialogue, other] = [{ tenant: 'acme', id: 'task_1' }, { tenant: 'acme' }]
  for (const used of [far, far, { engine: 'near', port: 'speech' } as const]) begun?.(used, dialogue)
  begun?.(far, other)
  const act = { action: 'useEngine', outcome: 'begun', tenant: 'acme' }
  expect(acts).toEqual([
    { ...act, id: 'task_1', engine: 'speech@far' },
    { ...act, id: 'task_1', engine: 'speech@near' },
    { ...act, engine: 'speech@far' },
  ])
})
