/** SQLite's result codes that mean something to us, by their numbers. */
const DATABASE_CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
}

/** `SQLITE_IOERR_SHMSIZE`: there was no room for the index of the write-ahead log. */
const NO_ROOM_FOR_INDEX = 4874

/**
 * The code of an error: the system's (`ENOSPC`), Node's (`ERR_…`), or SQLite's, which comes as a number. A more exact one
 * of these (`SQLITE_IOERR_WRITE`) is cut to what it is, which its lowest byte tells.
 * @returns An empty text for what has none
 */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return ''
  const { code } = error
  if (code !== 'ERR_SQLITE_ERROR' || !('errcode' in error) || typeof error.errcode !== 'number') return code
  if (error.errcode === NO_ROOM_FOR_INDEX) return 'SQLITE_FULL'
  return DATABASE_CODES[error.errcode & 0xff] ?? code
}
