import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorCode } from './error-code.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-errors-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Returns the code of the error that SQLite throws. */
function codeOf(ask: (database: DatabaseSync) => void, path = ':memory:', readOnly = false): string {
  try {
    const database = new DatabaseSync(path, { readOnly })
    try {
      ask(database)
    } finally {
      database.close()
    }
  } catch (error) {
    return errorCode(error)
  }
  return 'nothing was thrown'
}

const write = (database: DatabaseSync): void => database.exec('CREATE TABLE more (n)')

test('a full database is SQLITE_FULL', () => {
  expect(codeOf((database) => database.exec('PRAGMA max_page_count = 1; CREATE TABLE a (n)'))).toBe('SQLITE_FULL')
})

test('a file that SQLite cannot open', () => {
  expect(codeOf(write, join(folder, 'missing', 'a.sqlite'))).toBe('SQLITE_CANTOPEN')
})

test('a file that is not a database', async () => {
  const path = join(folder, 'text.sqlite')
  await writeFile(path, 'This is no database.'.repeat(100))
  expect(codeOf(write, path)).toBe('SQLITE_NOTADB')
})

test('a damaged database', async () => {
  const path = join(folder, 'damaged.sqlite')
  const numbers = 'WITH RECURSIVE c (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c LIMIT 9000) SELECT n FROM c'
  expect(codeOf((database) => database.exec(`CREATE TABLE a AS ${numbers}`), path)).toBe('nothing was thrown')
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(8192, 7), 0, 8192, 4096)
  await file.close()
  expect(codeOf((database) => database.prepare('SELECT sum(n) FROM a').get(), path)).toBe('SQLITE_CORRUPT')
})

test('a read-only database', () => {
  const path = join(folder, 'read.sqlite')
  expect(codeOf(write, path)).toBe('nothing was thrown')
  expect(codeOf((database) => database.exec('DROP TABLE more'), path, true)).toBe('SQLITE_READONLY')
})

test('a locked database', () => {
  const path = join(folder, 'busy.sqlite')
  const other = new DatabaseSync(path)
  other.exec('BEGIN EXCLUSIVE')
  expect(codeOf(write, path)).toBe('SQLITE_BUSY')
  other.close()
  expect(codeOf(write, path)).toBe('nothing was thrown')
})

test('an extended SQLite code is reduced to its primary code', () => {
  const exact = (errcode: number): string => {
    return errorCode(Object.assign(new Error('no'), { code: 'ERR_SQLITE_ERROR', errcode }))
  }
  const [busySnapshot, ioErrorWrite, readOnlyFolder, corruptIndex] = [517, 778, 1544, 779]
  expect([busySnapshot, ioErrorWrite, readOnlyFolder, corruptIndex].map(exact)).toEqual([
    'SQLITE_BUSY',
    'SQLITE_IOERR',
    'SQLITE_READONLY',
    'SQLITE_CORRUPT',
  ])
})

test('an error in a statement has the general code', () => {
  expect(codeOf((database) => database.exec('SELEKT 1'))).toBe('ERR_SQLITE_ERROR')
})

test('system codes are unchanged, and other errors have none', async () => {
  const error: unknown = await stat(join(folder, 'nowhere')).catch((reason: unknown) => reason)
  expect(errorCode(error)).toBe('ENOENT')
  for (const other of [new Error('no'), Object.assign(new Error('no'), { code: 13 }), 'ENOENT', { code: 'ENOENT' }]) {
    expect(errorCode(other)).toBe('')
  }
})
