import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase, openWriter, STEPS } from './database.ts'
import { createTaskStore } from './task-store.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  path = join(folder, 'service.sqlite')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A version that this program does not know. */
const NEXT = [...STEPS, "ALTER TABLE jobs ADD COLUMN later TEXT NOT NULL DEFAULT 'now'"]

const refusal = (): string =>
  `${path} has the tables of another version of this service: use that version, or choose another folder with --data-dir`

test('a database can be opened repeatedly, and by two at once', async () => {
  const databases = [openDatabase(path), openDatabase(path)]
  for (const database of databases) await database.destroy()
  const again = new DatabaseSync(path)
  expect(again.prepare('PRAGMA user_version').get()).toEqual({ user_version: STEPS.length })
  expect(again.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  again.close()
})

test('the next version upgrades a database with its rows, and this version then refuses it', async () => {
  const before = openDatabase(path)
  const tasks = createTaskStore(before)
  await tasks.accept({ id: 'waiting', tenant: 't', kind: 'audio.speech', model: 'm', request: {} })
  await before.destroy()
  const upgraded = openWriter(path, NEXT)
  expect(upgraded.prepare('SELECT task_id, later FROM jobs').all()).toEqual([{ task_id: 'waiting', later: 'now' }])
  upgraded.close()
  expect(() => openDatabase(path)).toThrow(refusal())
})

test('a failing step leaves the database as it was', () => {
  openWriter(path).close()
  expect(() => openWriter(path, [...STEPS, 'CREATE TABLE more (id TEXT); CREATE TABLE broken (']).close()).toThrow(
    /incomplete input/,
  )
  const again = openWriter(path)
  expect(again.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'more'").get()).toBeUndefined()
  again.close()
})

test.each([
  ['other steps', ['CREATE TABLE tasks (id TEXT) STRICT']],
  ['more steps of another beginning', ['CREATE TABLE tasks (id TEXT) STRICT', ...STEPS.slice(1), 'SELECT 1']],
])('a database that %s have made is refused, and nothing is written', (_name, steps) => {
  openWriter(path, steps).close()
  expect(() => openDatabase(path)).toThrow(refusal())
})

test('a database of another program is refused, and nothing is written', () => {
  const other = new DatabaseSync(path)
  other.exec('CREATE TABLE notes (text TEXT)')
  expect(() => openDatabase(path)).toThrow(refusal())
  expect(other.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' })
  other.close()
})

test('comments and spaces of a step do not identify it', () => {
  openWriter(path).close()
  const [first = '', ...others] = STEPS
  const changed = `-- A comment.\n${first.replace('CREATE TABLE tasks (', 'CREATE TABLE tasks  (')}`
  expect(() => openWriter(path, [changed, ...others]).close()).not.toThrow()
})

test('the count of suspects reads their index', () => {
  const database = openWriter(path)
  const plan = database.prepare('EXPLAIN QUERY PLAN SELECT count(*) FROM jobs WHERE crashes >= 2').all()
  expect(JSON.stringify(plan)).toContain('jobs_suspects')
  database.close()
})
