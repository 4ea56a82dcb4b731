import { errorCode } from './error-code.ts'

/** Codes of the system and the databases for a full disk, a used-up disk quota and a full database. */
const CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100'])

/** Whether an error or one of its causes is a full disk or database. */
export function isStorageFull(error: unknown): boolean {
  let cause = error
  // A longer chain of causes is a circle.
  for (let depth = 0; depth < 10 && cause instanceof Error; depth += 1) {
    if (CODES.has(errorCode(cause))) return true
    cause = cause.cause
  }
  return false
}

/** The disk has no room for new data. The remaining space is reserved for deletes. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError' as const
  readonly code = 'ENOSPC' as const

  constructor() {
    super('The reserve of disk space is used up: free space on the disk of the data folder')
  }
}
