/** The SQLite result codes that the service handles, by number. */
const DATABASE_CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
}

/** `SQLITE_IOERR_SHMSIZE`: no room for the index of the write-ahead log. */
const NO_ROOM_FOR_INDEX = 4874

/**
 * Returns the code of an error of the system (`ENOSPC`), Node (`ERR_…`) or SQLite. SQLite reports a number. An
 * extended SQLite code (`SQLITE_IOERR_WRITE`) is reduced to its primary code, the lowest byte.
 * @returns An empty string for an error without a code
 */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return ''
  const { code } = error
  if (code !== 'ERR_SQLITE_ERROR' || !('errcode' in error) || typeof error.errcode !== 'number') return code
  if (error.errcode === NO_ROOM_FOR_INDEX) return 'SQLITE_FULL'
  return DATABASE_CODES[error.errcode & 0xff] ?? code
}

/** Whether an error or one of its causes has one of these codes. */
function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  let cause = error
  // A longer chain of causes is a circle.
  for (let depth = 0; depth < 10 && cause instanceof Error; depth += 1) {
    if (codes.has(errorCode(cause))) return true
    cause = cause.cause
  }
  return false
}

/** Codes of the system for a process or a machine without free file descriptors. */
const OUT_OF_DESCRIPTORS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])

/** Whether an error or one of its causes is a lack of file descriptors. */
export function isOutOfDescriptors(error: unknown): boolean {
  return hasCode(error, OUT_OF_DESCRIPTORS)
}

/** Codes of the system and the databases for a full disk, a used-up disk quota and a full database. */
const STORAGE_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100'])

/** Whether an error or one of its causes is a full disk or database. */
export function isStorageFull(error: unknown): boolean {
  return hasCode(error, STORAGE_FULL)
}

/** The disk has no room for new data. The remaining space is reserved for deletes. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError' as const
  readonly code = 'ENOSPC' as const

  constructor() {
    super('The reserve of disk space is used up: free space on the disk of the data folder')
  }
}
