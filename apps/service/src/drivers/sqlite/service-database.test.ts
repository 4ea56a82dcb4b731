import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from './database.ts'
import type { ServiceDatabase } from './service-database.ts'

let folder: string
let database: ServiceDatabase
let tenantOf: (...values: readonly string[]) => { readonly tenant: string } | undefined
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

test('the values of a call take the places of those that the query was built with', async () => {
  await keep('one', 'first')
  await keep('two', 'second')
  expect(tenantOf('two', '100')).toEqual({ tenant: 'second' })
  expect(tenantOf('one', '100')).toEqual({ tenant: 'first' })
  expect(tenantOf('three', '100')).toBeUndefined()
})

test('too few values are refused', () => {
  expect(() => tenantOf('one')).toThrow(RangeError)
})

test('it sees what was committed at once, also by another connection', async () => {
  const other = openDatabase(join(folder, 'test.sqlite'))
  expect(tenantOf('one', '100')).toBeUndefined()
  await keep('one', 'first')
  expect(tenantOf('one', '100')).toEqual({ tenant: 'first' })
  await other.deleteFrom('api_keys').execute()
  expect(tenantOf('one', '100')).toBeUndefined()
  await other.destroy()
})

test('it sees nothing of a transaction that is under way, and does not wait for it', async () => {
  const failed = database.transaction().execute(async (transaction) => {
    await transaction.insertInto('api_keys').values({ hash: 'one', tenant: 'first', created_at: 1 }).execute()
    expect(tenantOf('one', '100')).toBeUndefined()
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  expect(tenantOf('one', '100')).toBeUndefined()
})

test('nothing can be asked once it is closed', async () => {
  const other = openDatabase(join(folder, 'other.sqlite'))
  const ask = other.prepared(other.selectFrom('api_keys').select('tenant'))
  await other.destroy()
  expect(() => ask()).toThrow(TypeError)
})
