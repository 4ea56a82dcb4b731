import { ServiceError } from './service-error.ts'

/** The sweeper frees space at this interval. An earlier retry makes no sense. */
const RETRY_AFTER_SECONDS = 600

/** Creates the error for a tenant without room. */
export function quotaExceeded(): ServiceError {
  const message = 'The storage quota of this account is used up: delete files, or wait until results expire'
  return new ServiceError(429, 'storage_quota_exceeded', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
