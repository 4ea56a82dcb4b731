import { DatabaseSync } from 'node:sqlite'
import { NewerDatabaseError } from '../../domain/errors.ts'
import { ServiceDatabase } from './service-database.ts'
import { makePrivate } from './private-file.ts'
import { MIGRATIONS } from './tables.ts'

/** Longest wait of a connection for another connection's lock, in milliseconds. */
const TIMEOUT = 5000

/**
 * Opens the database in this thread; makes or upgrades its tables. Every commit blocks the thread until it is on the
 * disk, so the service writes through {@link openStores} instead.
 * @throws NewerDatabaseError when a newer version wrote the file
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
 * @throws NewerDatabaseError when a newer version wrote the file
 */
export function openWriter(path: string): DatabaseSync {
  // SQLite gives its other files the mode of the database.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) makePrivate(file, { make: file === path })
  const writer = new DatabaseSync(path, { timeout: TIMEOUT, enableForeignKeyConstraints: true })
  try {
    prepare(writer, path)
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

function prepare(database: DatabaseSync, path: string): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  // Most starts write nothing, so they need no room on the disk.
  if (versionOf(database) === MIGRATIONS.length) return
  database.exec('BEGIN IMMEDIATE')
  const version = versionOf(database)
  if (version > MIGRATIONS.length) throw new NewerDatabaseError(path)
  for (const step of MIGRATIONS.slice(version)) database.exec(step)
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`)
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}
