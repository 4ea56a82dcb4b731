import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { KyselyStatement } from './kysely-statement.ts'

let database: DatabaseSync
beforeEach(() => {
  database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INTEGER) STRICT')
})
afterEach(() => database.close())

const statement = (sql: string): KyselyStatement => new KyselyStatement(database.prepare(sql))
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
