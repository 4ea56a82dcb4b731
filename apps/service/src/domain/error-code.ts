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
