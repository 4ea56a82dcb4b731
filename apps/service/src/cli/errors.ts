import { errorCode } from '../domain/error-code.ts'
import {
  ClusterOptionsError,
  DatabaseUnavailableError,
  FolderInUseError,
  LostRowsError,
  MissingSecretKeyError,
  ObjectStoreUnavailableError,
  SchemaError,
} from '../domain/errors.ts'
import { MissingPackageError } from '../drivers/load-optional.ts'

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

/** Errors of S3 that settings or rights cause, by name. */
const S3_ERRORS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'S3_BUCKET names no bucket: make the bucket, or check S3_ENDPOINT and S3_REGION',
  AccessDenied:
    'The credentials may not use the bucket of S3_BUCKET: allow them to list, read, write and delete objects',
  InvalidAccessKeyId: 'The service of S3_ENDPOINT does not know the access key: check AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'The secret of the access key is wrong: check AWS_SECRET_ACCESS_KEY',
  CredentialsProviderError:
    'S3_BUCKET needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile',
}

/**
 * Explains an error of a cluster in one line, with the remedy.
 * @returns `undefined` for any other error
 */
export function describeClusterError(error: unknown): string | undefined {
  if (error instanceof SchemaError || error instanceof MissingPackageError || error instanceof ClusterOptionsError) {
    return error.message
  }
  if (error instanceof DatabaseUnavailableError) {
    const { cause } = error
    const reason = errorCode(cause) || (cause instanceof Error ? cause.message : '')
    return `${error.message} (${reason}): check the address, and that PostgreSQL runs there`
  }
  if (error instanceof ObjectStoreUnavailableError) {
    const { cause } = error
    const known = S3_ERRORS[cause instanceof Error ? cause.name : '']
    // A store that answers has said what is wrong.
    const isSilent = error.message.endsWith('cannot be reached')
    return known ?? (isSilent ? `${error.message}: check S3_ENDPOINT and S3_REGION` : error.message)
  }
  return error instanceof Error ? S3_ERRORS[error.name] : undefined
}

/** A mistake in the command line or the environment. The program prints it as one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const
}
