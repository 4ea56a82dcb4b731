import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { errorCode } from '../../domain/error-code.ts'
import { GroupCommit } from './group-commit.ts'
import { ServiceDatabase } from './service-database.ts'

let folder: string
let connection: DatabaseSync
let database: ServiceDatabase
let group: GroupCommit
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-group-'))
  connection = new DatabaseSync(join(folder, 'a.sqlite'))
  connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT')
  database = new ServiceDatabase(connection, connection)
  group = new GroupCommit(connection)
})
afterEach(async () => {
  await database.destroy()
  await rm(folder, { recursive: true, force: true })
})

/** Adds a row in a transaction of its own. */
function add(name: string, value = 'x'): Promise<string> {
  return group.run(() =>
    database.transaction().execute(async (transaction) => {
      await transaction.insertInto('secrets').values({ name, value }).execute()
      return name
    }),
  )
}

function names(): unknown[] {
  const reader = new DatabaseSync(join(folder, 'a.sqlite'), { readOnly: true })
  try {
    return reader
      .prepare('SELECT name FROM secrets ORDER BY name')
      .all()
      .map((row) => row['name'])
  } finally {
    reader.close()
  }
}

test('works that wait together are committed together', async () => {
  const exec = vi.spyOn(connection, 'exec')
  expect(await Promise.all(['a', 'b', 'c'].map((name) => add(name)))).toEqual(['a', 'b', 'c'])
  expect(exec.mock.calls.filter(([statement]) => statement === 'COMMIT')).toHaveLength(1)
  expect(names()).toEqual(['a', 'b', 'c'])
})

test('a work resolves only when its group is committed', async () => {
  const exec = vi.spyOn(connection, 'exec')
  const seen = await Promise.all(['a', 'b'].map((name) => add(name).then(() => exec.mock.calls.length)))
  expect(exec.mock.calls.length).toBe(2)
  expect(seen).toEqual([2, 2])
})

test('a failed work fails alone', async () => {
  const outcomes = await Promise.allSettled([add('a'), add('a'), add('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(names()).toEqual(['a', 'b'])
})

test('a work without room fails alone, after SQLite rolled its group back', async () => {
  connection.exec('PRAGMA max_page_count = 8')
  const outcomes = await Promise.allSettled([add('small'), add('large', 'x'.repeat(100_000)), add('other')])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const [, large] = outcomes
  expect(large?.status === 'rejected' ? errorCode(large.reason) : '').toBe('SQLITE_FULL')
  expect(names()).toEqual(['other', 'small'])
})

test('a commit that fails leaves nothing, and the next one works', async () => {
  const exec = vi.spyOn(connection, 'exec').mockImplementation((statement) => {
    if (statement === 'COMMIT') throw new Error('disk I/O error')
    DatabaseSync.prototype.exec.call(connection, statement)
  })
  await expect(add('a')).rejects.toThrow('disk I/O error')
  exec.mockRestore()
  expect(names()).toEqual([])
  expect(await add('a')).toBe('a')
})
