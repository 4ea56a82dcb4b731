import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase, openWriter } from './database.ts'
import { type Given, limitOf } from '../sql/shared-database.ts'
import { KyselyStatement, ServiceDatabase } from './service-database.ts'

let folder: string
let database: ServiceDatabase
let tenantOf: (hash: string, before: number) => readonly { readonly tenant: string }[]
type Question = { readonly hash: string; readonly before: number }
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'database-'))
  database = openDatabase(join(folder, 'test.sqlite'))
  const ask = database.read((given: Given<Question>) =>
    database
      .selectFrom('api_keys')
      .select('tenant')
      .where('hash', '=', given('hash'))
      .where('created_at', '<', given('before')),
  )
  tenantOf = (hash, before) => ask({ hash, before })
})
afterEach(async () => {
  await database.destroy()
  await rm(folder, { recursive: true })
})

const keep = (hash: string, tenant: string) =>
  database.insertInto('api_keys').values({ hash, tenant, created_at: 1 }).execute()

test('a query takes the values of each call', async () => {
  await keep('one', 'first')
  await keep('two', 'second')
  expect(tenantOf('two', 100)).toEqual([{ tenant: 'second' }])
  expect(tenantOf('one', 100)).toEqual([{ tenant: 'first' }])
  expect(tenantOf('three', 100)).toEqual([])
})

test('all rows are returned in the requested order', async () => {
  await keep('one', 'first')
  await keep('two', 'second')
  const tenants = database.read((given: Given<{ readonly limit: number }>) =>
    database.selectFrom('api_keys').select('tenant').orderBy('hash', 'desc').limit(limitOf(given)),
  )
  expect(tenants({ limit: 5 }).map(({ tenant }) => tenant)).toEqual(['second', 'first'])
  expect(tenants({ limit: 1 }).map(({ tenant }) => tenant)).toEqual(['second'])
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
    const ask = other.read(() => other.selectFrom('api_keys').select('tenant'))
    await other.destroy()
    await other.destroy()
    expect(() => ask({})).toThrow('finalized')
  }
  // Closing the last connection of a database removes its log.
  expect(await readdir(folder)).not.toContain('other.sqlite-wal')
})

const insertOf = () =>
  database.written((given: Given<{ readonly hash: string; readonly tenant: string }>) =>
    database
      .insertInto('api_keys')
      .values({ hash: given('hash'), tenant: given('tenant'), created_at: 1 })
      .returning('hash'),
  )

test('a written query takes each value of a call by its name', async () => {
  const insert = insertOf()
  expect(await database.atomically(() => insert({ tenant: 'first', hash: 'one' }))).toEqual([{ hash: 'one' }])
  await database.atomically(() => insert({ tenant: 'second', hash: 'two' }))
  expect(tenantOf('one', 100)).toEqual([{ tenant: 'first' }])
  expect(tenantOf('two', 100)).toEqual([{ tenant: 'second' }])
})

test('a failed atomic work leaves nothing, and the next one works', async () => {
  const insert = insertOf()
  const failed = database.atomically(() => {
    insert({ hash: 'one', tenant: 'first' })
    insert({ hash: 'one', tenant: 'again' })
  })
  await expect(failed).rejects.toThrow('UNIQUE')
  expect(tenantOf('one', 100)).toEqual([])
  await database.atomically(() => insert({ hash: 'one', tenant: 'first' }))
  expect(tenantOf('one', 100)).toEqual([{ tenant: 'first' }])
})

test('atomic work in an open transaction is undone alone, and committed with the transaction', async () => {
  const path = join(folder, 'group.sqlite')
  const writer = openWriter(path)
  const other = new ServiceDatabase(writer, writer)
  const insert = other.written((given: Given<{ readonly hash: string }>) =>
    other.insertInto('api_keys').values({ hash: given('hash'), tenant: 'first', created_at: 1 }),
  )
  writer.exec('BEGIN')
  await other.atomically(() => insert({ hash: 'one' }))
  const failed = other.atomically(() => {
    insert({ hash: 'two' })
    throw new Error('alone')
  })
  await expect(failed).rejects.toThrow('alone')
  expect(writer.isTransaction).toBe(true)
  writer.exec('COMMIT')
  expect(await other.selectFrom('api_keys').select('hash').execute()).toEqual([{ hash: 'one' }])
  await other.destroy()
})

test('atomic work waits for an open transaction of the same database', async () => {
  const insert = insertOf()
  const open = database.transaction().execute(async (transaction) => {
    await transaction.insertInto('api_keys').values({ hash: 'one', tenant: 'first', created_at: 1 }).execute()
    throw new Error('rolled back')
  })
  const later = database.atomically(() => insert({ hash: 'two', tenant: 'second' }))
  await expect(open).rejects.toThrow('rolled back')
  await later
  expect(tenantOf('one', 100)).toEqual([])
  expect(tenantOf('two', 100)).toEqual([{ tenant: 'second' }])
})

describe('a statement of kysely', () => {
  let memory: DatabaseSync
  beforeEach(() => {
    memory = new DatabaseSync(':memory:')
    memory.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INTEGER) STRICT')
  })
  afterEach(() => memory.close())

  const statement = (sql: string): KyselyStatement => new KyselyStatement(memory.prepare(sql))
  const insert = 'INSERT INTO rows (name, size) VALUES (?, ?)'

  test('statements with rows differ from statements without', () => {
    const readers = ['SELECT 1', `${insert} RETURNING id`, 'PRAGMA user_version'].map((sql) => statement(sql).reader)
    expect(readers).toEqual([true, true, true])
    const others = [insert, 'UPDATE rows SET size = 1', 'begin', 'commit'].map((sql) => statement(sql).reader)
    expect(others).toEqual([false, false, false, false])
  })

  test('values are bound in order, and rows are returned', () => {
    expect(statement(insert).run(['one', 1])).toMatchObject({ changes: 1, lastInsertRowid: 1 })
    statement(insert).run(['two', null])
    const all = statement('SELECT name, size FROM rows WHERE id <= ? ORDER BY id LIMIT ?')
    expect(all.all([2, 5])).toEqual([
      { name: 'one', size: 1 },
      { name: 'two', size: null },
    ])
    expect([...all.iterate([1, 5])]).toEqual([{ name: 'one', size: 1 }])
  })

  test('a statement without changes reports none, after any other statement', () => {
    statement(insert).run(['one', 1])
    expect(statement(`${insert} ON CONFLICT DO NOTHING`).run(['one', 2])).toMatchObject({ changes: 0 })
    expect(statement('DELETE FROM rows WHERE id = ?').run([7])).toMatchObject({ changes: 0 })
  })

  test('a failed statement can run again', () => {
    const again = statement(insert)
    again.run(['one', 1])
    expect(() => again.run(['one', 1])).toThrow('UNIQUE')
    expect(again.run(['two', 1])).toMatchObject({ changes: 1 })
  })

  test('a whole number stays exact, however large', () => {
    statement(insert).run(['large', Number.MAX_SAFE_INTEGER])
    expect(statement('SELECT size, typeof(size) AS type FROM rows').all([])).toEqual([
      { size: Number.MAX_SAFE_INTEGER, type: 'integer' },
    ])
  })

  test('types that SQLite lacks are refused', () => {
    for (const value of [undefined, true, new Date(0), { name: 'one' }]) {
      expect(() => statement(insert).run(['one', value])).toThrow(TypeError)
      expect(() => statement(insert).run([value])).toThrow(TypeError)
    }
    expect(statement('SELECT * FROM rows').all([])).toEqual([])
  })
})
