import { DatabaseSync } from 'node:sqlite'
import { NewerDatabaseError } from '../../domain/errors.ts'
import { ServiceDatabase } from './service-database.ts'
import { MIGRATIONS } from './tables.ts'

/** How long a connection waits for another one's lock, in milliseconds. */
const TIMEOUT = 5000

/**
 * Opens the database, making or upgrading it. Write-ahead log with full synchronization: what was acknowledged survives
 * a power cut.
 * @throws NewerDatabaseError when the file was written by a newer version
 */
export function openDatabase(path: string): ServiceDatabase {
  const writer = new DatabaseSync(path, { timeout: TIMEOUT, enableForeignKeyConstraints: true })
  try {
    prepare(writer, path)
    return new ServiceDatabase(writer, new DatabaseSync(path, { timeout: TIMEOUT, readOnly: true }))
  } catch (error) {
    // What was begun is rolled back with this.
    writer.close()
    throw error
  }
}

function prepare(database: DatabaseSync, path: string): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  // Most starts write nothing, so that they need no room on the disk.
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
