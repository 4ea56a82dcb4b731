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

/**
 * Creates the 400 for a body that does not match its schema. Absent fields and wrong types have separate codes.
 *
 * @param param The field, or an empty string for the body as a whole.
 * @param issue The first issue that the schema reports.
 * @param label Name of the field in the message. @default `param`
 */
export function bodyError(param: string, issue: string | undefined, label: string = param): ServiceError {
  // zod reports an absent field as `undefined`.
  const missing = issue?.endsWith('received undefined') ?? false
  const code = missing ? 'missing_required_field' : 'invalid_type'
  const message = missing ? `${label} is required` : `${label} ${inOurWords(issue)}`
  return new ServiceError(400, code, message, param === '' ? {} : { param })
}

function inOurWords(issue: string = 'is invalid'): string {
  const { expected, received } = /expected (?<expected>\w+), received (?<received>\w+)$/.exec(issue)?.groups ?? {}
  if (expected === undefined || received === undefined) return issue.replace(/^./, (first) => first.toLowerCase())
  return `must be ${oneOf(expected)}, not ${oneOf(received)}`
}

function oneOf(type: string): string {
  if (type === 'null') return type
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** The sweeper frees space at this interval. An earlier retry makes no sense. */
const RETRY_AFTER_SECONDS = 600

/** Creates the error for a tenant without room. */
export function quotaExceeded(): ServiceError {
  const message = 'The storage quota of this account is used up: delete files, or wait until results expire'
  return new ServiceError(429, 'storage_quota_exceeded', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
