import { errorCode } from './error-code.ts'

/** What the system and the database say when there is no room: on the disk, in a disk quota, in the database. */
const CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])

/** Whether an error, or what caused it, is that nothing more can be stored. */
export function isStorageFull(error: unknown): boolean {
  let cause = error
  // A chain longer than this would be a circle.
  for (let depth = 0; depth < 10 && cause instanceof Error; depth += 1) {
    if (CODES.has(errorCode(cause))) return true
    cause = cause.cause
  }
  return false
}

/** There is no room for anything new: the space that is left is held for deletes. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError' as const
  readonly code = 'ENOSPC' as const

  constructor() {
    super('The reserve of disk space is spent: make room on the disk of the data folder')
  }
}
