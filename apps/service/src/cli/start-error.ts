import { errorCode } from '../domain/error-code.ts'
import { FolderInUseError, NewerDatabaseError } from '../domain/errors.ts'

/** One line for people about why the service could not start, with the remedy. */
export function describeStartError(
  error: unknown,
  where: { readonly host: string; readonly port: number; readonly dataDir: string },
): string {
  if (error instanceof FolderInUseError) {
    return `${error.message}: stop it, or choose another folder with --data-dir`
  }
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `Port ${where.port} on ${where.host} is taken: stop what uses it, or choose another with --port`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where.host} is not an address of this machine: choose another with --host`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `Not allowed: ${messageOf(error)}. Choose another --port or --data-dir`
    default:
      return describeFolderError(error, where.dataDir) ?? `The service cannot start: ${messageOf(error)}`
  }
}

/**
 * One line for people about a folder that cannot be worked with.
 * @returns Nothing when the fault is another one, whose stack somebody will want to see.
 */
export function describeFolderError(error: unknown, dataDir: string): string | undefined {
  if (error instanceof NewerDatabaseError) {
    return `${error.message}: use that version, or choose another folder with --data-dir`
  }
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `Not allowed: ${messageOf(error)}. Choose another --data-dir`
    case 'EEXIST':
    case 'ENOENT':
    case 'ENOTDIR':
      return `${dataDir} cannot be a folder: ${messageOf(error)}. Choose another --data-dir`
    case 'ENOSPC':
    case 'EDQUOT':
    case 'SQLITE_FULL':
      return `The disk of ${dataDir} is full: make room, or choose another --data-dir`
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_IOERR':
    case 'SQLITE_READONLY':
      return `The database in ${dataDir} cannot be used: ${messageOf(error)}. Look at its owner and its disk`
    case 'SQLITE_BUSY':
      return `The database in ${dataDir} is busy: try again in a moment`
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return `The database in ${dataDir} is damaged: ${messageOf(error)}. Bring back a copy, or choose another --data-dir`
    default:
      return undefined
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
