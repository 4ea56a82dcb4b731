import Sqlite from 'better-sqlite3'
import { NewerDatabaseError } from '../../domain/newer-database-error.ts'
import { ServiceDatabase } from './service-database.ts'
import { MIGRATIONS } from './tables.ts'

/**
 * Opens the database, making or upgrading it. Write-ahead log with full synchronization: what was acknowledged survives
 * a power cut.
 * @throws NewerDatabaseError when the file was written by a newer version
 */
export function openDatabase(path: string): ServiceDatabase {
  const database = new Sqlite(path)
  try {
    prepare(database, path)
    return new ServiceDatabase(database)
  } catch (error) {
    database.close()
    throw error
  }
}

function prepare(database: Sqlite.Database, path: string): void {
  database.pragma('busy_timeout = 5000')
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  database
    .transaction(() => {
      const version = Number(database.pragma('user_version', { simple: true }))
      if (version > MIGRATIONS.length) throw new NewerDatabaseError(path)
      for (const step of MIGRATIONS.slice(version)) database.exec(step)
      database.pragma(`user_version = ${MIGRATIONS.length}`)
    })
    .immediate()
}
