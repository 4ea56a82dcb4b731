import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorCode } from '../../domain/error-code.ts'
import { FolderInUseError } from '../../domain/errors.ts'
import { makePrivate } from './private-file.ts'

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
