import { closeSync, constants, fchmodSync, openSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { SchemaError } from '../../domain/errors.ts'
import { sumOf } from '../sql/tables.ts'
import { ServiceDatabase } from './service-database.ts'

/**
 * Steps from an empty file to the current tables, as SQL. A released step never changes. `user_version` counts the steps.
 */
export const STEPS: readonly string[] = [readFileSync(new URL('schema.sql', import.meta.url), 'utf8')]

/** Longest wait of a connection for another connection's lock, in milliseconds. */
const TIMEOUT = 5000

/**
 * Opens the database in this thread; makes or upgrades its tables. Every commit blocks the thread until it is on the
 * disk, so the service writes through {@link openStores} instead.
 * @throws SchemaError when the file has other tables
 */
export function openDatabase(path: string): ServiceDatabase {
  const writer = openWriter(path)
  try {
    return new ServiceDatabase(writer, connectReader(path))
  } catch (error) {
    writer.close()
    throw error
  }
}

/**
 * Opens a connection that writes; makes or upgrades the tables. It uses a write-ahead log with full synchronization, so
 * acknowledged writes survive a power cut.
 * @throws SchemaError when the file has other tables
 */
export function openWriter(path: string, steps: readonly string[] = STEPS): DatabaseSync {
  // SQLite gives its other files the mode of the database.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) makePrivate(file, { make: file === path })
  const writer = new DatabaseSync(path, { timeout: TIMEOUT, enableForeignKeyConstraints: true })
  try {
    prepare(writer, path, steps)
    return writer
  } catch (error) {
    // Closing rolls back an open transaction.
    writer.close()
    throw error
  }
}

/** Opens the database to read committed data. The tables exist: {@link openWriter} came first. */
export function openReader(path: string): ServiceDatabase {
  const reader = connectReader(path)
  return new ServiceDatabase(reader, reader)
}

function connectReader(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: TIMEOUT, readOnly: true })
}

function prepare(database: DatabaseSync, path: string, steps: readonly string[]): void {
  // Refuses other tables before anything is written. Most starts write nothing, so they need no room on the disk.
  const isCurrent = checkSchema(database, path, steps) === steps.length
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  if (isCurrent) return
  database.exec('BEGIN IMMEDIATE')
  for (const step of steps.slice(checkSchema(database, path, steps))) database.exec(step)
  database.exec(`PRAGMA application_id = ${idOf(steps)}; PRAGMA user_version = ${steps.length}; COMMIT`)
}

/**
 * Checks that a database has the tables of this version, or of a version whose tables it upgrades.
 * @returns How many of the steps it has: 0 for an empty file
 * @throws SchemaError
 */
export function checkSchema(database: DatabaseSync, path: string, steps: readonly string[] = STEPS): number {
  const found = numberOf(database, 'user_version')
  const isEmpty = found === 0 && database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
  if (isEmpty || (numberOf(database, 'application_id') === idOf(steps) && found <= steps.length)) return found
  throw new SchemaError(
    `${path} has the tables of another version of this service: use that version, or choose another folder with --data-dir`,
  )
}

function numberOf(database: DatabaseSync, pragma: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma])
}

/** Identifies the first step: 31 bits, as SQLite stores them in the header of the file. */
function idOf(steps: readonly string[]): number {
  return Number.parseInt(sumOf(steps.slice(0, 1)).slice(0, 8), 16) >>> 1
}

/**
 * Makes a file readable for its user only, whatever it was before. A file that cannot be opened stays as it is: SQLite
 * reports the reason.
 * @param options.make Whether to make a missing file.
 */
export function makePrivate(path: string, { make }: { readonly make: boolean }): void {
  let file: number
  try {
    file = openSync(path, constants.O_RDWR | (make ? constants.O_CREAT : 0), 0o600)
  } catch {
    return
  }
  try {
    fchmodSync(file, 0o600)
  } catch {
    // A file of another user, such as one of a mounted volume, keeps its mode.
  } finally {
    closeSync(file)
  }
}
