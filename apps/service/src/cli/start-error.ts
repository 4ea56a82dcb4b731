import { errorCode } from '../domain/error-code.ts'
import { describeClusterError } from './cluster-error.ts'
import { FolderInUseError, LostRowsError, MissingSecretKeyError, SchemaError } from '../domain/errors.ts'

/** Explains a failed start in one line, with the remedy. */
export function describeStartError(
  error: unknown,
  where: { readonly host: string; readonly port: number; readonly dataDir: string },
): string {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `Port ${where.port} on ${where.host} is in use: stop the program that uses it, or choose another with --port`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where.host} is not an address of this machine: choose another with --host`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `Not allowed: ${messageOf(error)}. Choose another --port or --data-dir`
    default:
      return (
        describeClusterError(error) ??
        describeFolderError(error, where.dataDir) ??
        `The service cannot start: ${messageOf(error)}`
      )
  }
}

/**
 * Explains an unusable data folder in one line, with the remedy.
 * @returns `undefined` for any other error: its stack is needed
 */
export function describeFolderError(error: unknown, dataDir: string): string | undefined {
  if (error instanceof Error && error.name === 'EnginesFileError') return error.message
  if (errorCode(error) === 'ERR_UNKNOWN_BUILTIN_MODULE')
    return `This is Node.js ${process.versions.node}, and the service needs 22.19 or later: install it from nodejs.org`
  if (error instanceof FolderInUseError) {
    return `${error.message}: stop it, or choose another folder with --data-dir`
  }
  if (error instanceof LostRowsError || error instanceof MissingSecretKeyError || error instanceof SchemaError) {
    return error.message
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
      return `The disk of ${dataDir} is full: free space, or choose another --data-dir`
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_IOERR':
    case 'SQLITE_READONLY':
      return `The database in ${dataDir} cannot be used: ${messageOf(error)}. Check its owner and its disk`
    case 'SQLITE_BUSY':
      return `The database in ${dataDir} is busy: repeat the command in a moment`
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return `The database in ${dataDir} is damaged: ${messageOf(error)}. Restore a backup, or choose another --data-dir`
    default:
      return undefined
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
