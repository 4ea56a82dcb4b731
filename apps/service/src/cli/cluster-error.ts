import { errorCode } from '../domain/error-code.ts'
import {
  ClusterOptionsError,
  DatabaseUnavailableError,
  ObjectStoreUnavailableError,
  SchemaError,
} from '../domain/errors.ts'
import { MissingPackageError } from '../drivers/load-optional.ts'

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
    return S3_ERRORS[cause instanceof Error ? cause.name : ''] ?? `${error.message}: check S3_ENDPOINT and S3_REGION`
  }
  return error instanceof Error ? S3_ERRORS[error.name] : undefined
}
