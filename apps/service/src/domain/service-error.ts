import type { ServiceErrorCode } from './error-codes.ts'

/** Options of {@link ServiceError}. */
export interface ServiceErrorOptions extends ErrorOptions {
  /** The field at fault. */
  readonly param?: string
  /** Seconds after which a retry makes sense: the `Retry-After` header. */
  readonly retryAfterSeconds?: number
}

/**
 * An error for the caller of the API. Status, code and message are the response. Any other error becomes a 500. Its
 * cause is logged and never shown.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError' as const
  readonly status: number
  readonly code: ServiceErrorCode
  readonly param: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: ServiceErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options)
    this.status = status
    this.code = code
    this.param = options.param
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Creates a 400 for a field. */
export function invalid(code: ServiceErrorCode, param: string, message: string): ServiceError {
  return new ServiceError(400, code, message, { param })
}

/** Codes of lasting states: every request gets them, and the log reports the state once. */
const TOLD_ONCE: ReadonlySet<string> = new Set(['engine_unavailable', 'shutting_down'])

/** Whether an error is a fault of the service that belongs in the log. */
export function isInternalError({ status, code }: ServiceError): boolean {
  return status >= 500 && !TOLD_ONCE.has(code)
}
