import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorCode } from '../../domain/error-code.ts'
import { FolderInUseError, LostRowsError, MissingSecretKeyError } from '../../domain/errors.ts'
import { OBJECT_NAME } from '../../ports/object-store.ts'
import { checkSchema, makePrivate } from './database.ts'
import { type FolderMark, readDatabaseMark, readFolderMark } from './folder-mark.ts'

/** What a start finds in a data folder. */
export interface FolderContents {
  readonly dataDir: string
  /** Path of the database. */
  readonly database: string
  /** Folders of the stored objects. */
  readonly areas: readonly string[]
  /** Whether the settings give the key of the secrets. */
  readonly hasSecretKey: boolean
}

/**
 * Checks that the database of a folder belongs to its objects, before anything is written. A start on a database that has
 * lost its rows would serve none of the objects, and make the loss harder to mend. Only one that has locked the folder
 * may call it.
 * @throws LostRowsError, MissingSecretKeyError and SchemaError; errors of SQLite
 */
export function checkFolderContents(contents: FolderContents): void {
  checkForCommand(contents)
  const { dataDir, database: path, areas } = contents
  if (isMissing(path)) return
  reading(path, (database) => {
    const mark = readDatabaseMark(database)
    compareMarks(dataDir, readFolderMark(dataDir), mark)
    const objects = countObjects(areas)
    if (mark === undefined && objects > 0 && hasNoRows(database)) {
      throw new LostRowsError(dataDir, `has ${counted(objects)} and an empty database`)
    }
  })
}

/**
 * Checks what must be right beside a running service too: that a database is there, and the key of its secrets.
 * @throws LostRowsError, MissingSecretKeyError and SchemaError; errors of SQLite
 */
export function checkForCommand({ dataDir, database: path, areas, hasSecretKey }: FolderContents): void {
  if (isMissing(path)) {
    const objects = countObjects(areas)
    if (objects > 0) throw new LostRowsError(dataDir, `has ${counted(objects)} and no database`)
    if (existsSync(`${path}-wal`)) throw new LostRowsError(dataDir, 'has the log of a database and no database')
    return
  }
  reading(path, (database) => {
    checkSchema(database, path)
    if (!hasSecretKey && isSealedWithoutKey(dataDir, database)) throw new MissingSecretKeyError(dataDir)
  })
}

function isMissing(path: string): boolean {
  return !existsSync(path) || statSync(path).size === 0
}

function reading(path: string, read: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    read(database)
  } finally {
    database.close()
  }
}

function counted(objects: number): string {
  return objects === 1 ? '1 stored object' : `${objects} stored objects`
}

function countObjects(folders: readonly string[]): number {
  const names = folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
  return names.filter((name) => OBJECT_NAME.test(name)).length
}

/** A folder without a mark says nothing: the disk was full, or a person has deleted it. */
function compareMarks(dataDir: string, ofFolder: FolderMark | undefined, ofDatabase: FolderMark | undefined): void {
  if (ofFolder === undefined) return
  if (ofDatabase !== undefined && ofDatabase.id !== ofFolder.id) {
    throw new LostRowsError(dataDir, 'is not the one of this folder', 'database')
  }
  if (ofDatabase !== undefined && ofDatabase.mark >= ofFolder.mark) return
  const since = ofDatabase === undefined ? '' : `, whose last rows are of ${new Date(ofFolder.at).toISOString()}`
  throw new LostRowsError(dataDir, `is older than the folder${since}`, 'database')
}

/** A folder of stored objects that is empty although rows name objects in it. */
export interface LostArea {
  /** Name of the folder. */
  readonly folder: string
  /** What the rows are, for people. */
  readonly rows: string
}

/** What names an object of each folder of objects, and a query for one such row. */
const NAMED: Readonly<Record<string, { readonly rows: string; readonly query: string }>> = {
  files: { rows: 'uploaded files', query: 'SELECT 1 FROM files LIMIT 1' },
  results: {
    rows: 'results of tasks',
    query: "SELECT 1 FROM tasks WHERE result IS NOT NULL AND json_extract(result, '$.file') IS NOT NULL LIMIT 1",
  },
  inputs: { rows: 'waiting recordings', query: 'SELECT 1 FROM jobs WHERE input IS NOT NULL LIMIT 1' },
}

/** Finds folders that have lost their objects. A start serves the rest of the data. */
export function findLostAreas({ database: path, areas }: FolderContents): LostArea[] {
  if (isMissing(path)) return []
  const lost: LostArea[] = []
  reading(path, (database) => {
    for (const area of areas) {
      const folder = basename(area)
      const named = NAMED[folder]
      if (named === undefined || countObjects([area]) > 0 || !hasTables(database)) continue
      if (database.prepare(named.query).get() !== undefined) lost.push({ folder, rows: named.rows })
    }
  })
  return lost
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tasks'").get() !== undefined
}

/** The tables that hold what clients and operators have stored. */
const STORED = ['tasks', 'files', 'objects', 'api_keys', 'voices', 'responses'] as const

function hasNoRows(database: DatabaseSync): boolean {
  return STORED.every((name) => database.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() === undefined)
}

/** Whether a folder has sealed secrets and no key that opens them. */
function isSealedWithoutKey(dataDir: string, database: DatabaseSync): boolean {
  if (existsSync(join(dataDir, 'secret.key'))) return false
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'secrets'").get() === undefined) {
    return false
  }
  return database.prepare("SELECT 1 FROM secrets WHERE value LIKE 'sealed:%' LIMIT 1").get() !== undefined
}

/** Holds the connections: the garbage collector would close an unreferenced one and release its lock. */
const held = new Set<DatabaseSync>()

/**
 * Locks a folder for serving. The lock is the system's, on a file beside the database. It ends with the process,
 * however the process ends, and does not block the database itself.
 * @returns A function that releases the lock.
 * @throws FolderInUseError when another process, or another service of this one, holds the lock
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock.sqlite')
  makePrivate(path, { make: true })
  const database = new DatabaseSync(path)
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (errorCode(error) === 'SQLITE_BUSY') throw new FolderInUseError(folder)
    throw error
  }
  held.add(database)
  return () => {
    held.delete(database)
    database.close()
  }
}

/** Whether a service serves the folder now. Takes no lock that a start could meet for more than a moment. */
export function isServed(folder: string): boolean {
  const path = join(folder, 'lock.sqlite')
  if (!existsSync(path)) return false
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.exec('SELECT count(*) FROM sqlite_schema')
    return false
  } catch (error) {
    if (errorCode(error) === 'SQLITE_BUSY') return true
    throw error
  } finally {
    database.close()
  }
}
