import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from './database.ts'
import type { ServiceDatabase } from './service-database.ts'

let folder: string
let database: ServiceDatabase
let tenantOf: (hash: string, before: number) => readonly { readonly tenant: string }[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'database-'))
  database = openDatabase(join(folder, 'test.sqlite'))
  tenantOf = database.prepared(
    database.selectFrom('api_keys').select('tenant').where('hash', '=', '?').where('created_at', '<', 100),
  )
})
afterEach(async () => {
  await database.destroy()
  await rm(folder, { recursive: true })
})

const keep = (hash: string, tenant: string) =>
  database.insertInto('api_keys').values({ hash, tenant, created_at: 1 }).execute()

test('the values of a call replace those of the query’s construction', async () => {
  await keep('one', 'first')
  await keep('two', 'second')
  expect(tenantOf('two', 100)).toEqual([{ tenant: 'second' }])
  expect(tenantOf('one', 100)).toEqual([{ tenant: 'first' }])
  expect(tenantOf('three', 100)).toEqual([])
})

test('all rows are returned in the requested order', async () => {
  await keep('one', 'first')
  await keep('two', 'second')
  const tenants = database.prepared(database.selectFrom('api_keys').select('tenant').orderBy('hash', 'desc').limit(0))
  expect(tenants(5).map(({ tenant }) => tenant)).toEqual(['second', 'first'])
  expect(tenants(1).map(({ tenant }) => tenant)).toEqual(['second'])
})

test('too few and too many values are refused', () => {
  const ask = database.prepared(database.selectFrom('api_keys').select('tenant').where('hash', '=', '?'))
  expect(() => ask()).toThrow(RangeError)
  expect(() => ask('one', 'two')).toThrow(RangeError)
  expect(ask('one')).toEqual([])
})

test('a query sees committed data at once, also from another connection', async () => {
  const other = openDatabase(join(folder, 'test.sqlite'))
  expect(tenantOf('one', 100)).toEqual([])
  await keep('one', 'first')
  expect(tenantOf('one', 100)).toEqual([{ tenant: 'first' }])
  await other.deleteFrom('api_keys').execute()
  expect(tenantOf('one', 100)).toEqual([])
  await other.destroy()
})

test('a query does not see or wait for an open transaction', async () => {
  const failed = database.transaction().execute(async (transaction) => {
    await transaction.insertInto('api_keys').values({ hash: 'one', tenant: 'first', created_at: 1 }).execute()
    expect(tenantOf('one', 100)).toEqual([])
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  expect(tenantOf('one', 100)).toEqual([])
})

test('every query fails after the close', async () => {
  const path = join(folder, 'other.sqlite')
  const [fresh, used] = [openDatabase(path), openDatabase(path)]
  await used.selectFrom('api_keys').selectAll().execute()
  for (const other of [fresh, used]) {
    const ask = other.prepared(other.selectFrom('api_keys').select('tenant'))
    await other.destroy()
    await other.destroy()
    expect(() => ask()).toThrow('finalized')
  }
  // Closing the last connection of a database removes its log.
  expect(await readdir(folder)).not.toContain('other.sqlite-wal')
})
