import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorCode } from '../../domain/error-code.ts'
import { FolderInUseError } from '../../domain/errors.ts'

/** A connection that nobody holds is closed by the garbage collector, and its lock would go with it. */
const held = new Set<DatabaseSync>()

/**
 * Takes a folder for serving. The lock is the system's own, on a file beside the database: it ends with the process,
 * however that ends, and keeps nobody from the database itself.
 * @returns How to give it back.
 * @throws FolderInUseError when another process, or another service of this one, has it
 */
export function lockFolder(folder: string): () => void {
  const database = new DatabaseSync(join(folder, 'lock.sqlite'))
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
