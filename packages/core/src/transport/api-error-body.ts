import { ApiError } from '../errors/service-errors.ts'
import type { Redact } from './key-source.ts'
import type { TransportResponse } from './transport.ts'

/** Most bytes of an error body that are read. */
const MAX_ERROR_BYTES = 64 * 1024

/** Most characters of a body that is no error object. */
const MAX_PLAIN_MESSAGE = 500

/**
 * The error of a response that is none of 2xx. The body's shape is not documented in full (interface: Errors), so
 * nested and flat fields, plain text and nothing at all are understood.
 */
export async function readApiError(response: TransportResponse, what: string, redact: Redact): Promise<ApiError> {
  const fields = errorFields(await readBody(response), redact)
  const { status, headers } = response
  const redirect = status < 400 ? ' (redirects are not followed)' : ''
  return new ApiError(`${what} answered ${status}: ${fields.message ?? 'no message'}${redirect}`, {
    ...fields,
    status,
    requestId: headers['x-request-id'],
    retryAfter: retryAfterSeconds(headers['retry-after'], headers['date']),
  })
}

/** `code` and `message` of an error object as services spell it: nested under `error`, flat, or a bare string. */
export function errorFields(value: unknown, redact: Redact): ErrorFields {
  const error: unknown = Reflect.get(new Object(value), 'error')
  const flat = fieldsOf(value, redact)
  const nested = fieldsOf(error, redact)
  if (typeof error === 'string') return { ...flat, message: flat.message ?? nested.message }
  return (nested.message ?? nested.code) === undefined ? flat : nested
}

/** What can be read of an error. */
export interface ErrorFields {
  readonly code?: string | undefined
  readonly message?: string | undefined
  readonly param?: string | undefined
  readonly type?: string | undefined
}

function fieldsOf(value: unknown, redact: Redact): ErrorFields {
  if (typeof value === 'string') return { message: redact(value.trim()).slice(0, MAX_PLAIN_MESSAGE) || undefined }
  const text = (name: string): string | undefined => {
    const found: unknown = Reflect.get(new Object(value), name)
    if (typeof found === 'number') return String(found)
    return typeof found === 'string' && found !== '' ? redact(found) : undefined
  }
  return { code: text('code'), message: text('message'), param: text('param'), type: text('type') }
}

/** The body as JSON, else as text. */
async function readBody(response: TransportResponse): Promise<unknown> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true })
      bytes += chunk.byteLength
      if (bytes >= MAX_ERROR_BYTES) break
    }
  } catch {
    // The status is the news; what could be read of the body has to do.
  }
  try {
    return JSON.parse(text)
  } catch {
    // A page of HTML, or bytes that are no text, for instance compressed.
    return text.trimStart().startsWith('<') || text.includes('\uFFFD') ? undefined : text
  }
}

/**
 * `Retry-After` in seconds, from either of its forms; `undefined` when it is absent or unreadable.
 * @param date The answer's own `Date`, so that the two clocks need not agree.
 */
export function retryAfterSeconds(value: string | undefined, date: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Number(value)
  // `Date.parse` makes a date of nearly anything, of `-5` too.
  const at = WEEKDAY.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const now = Date.parse(date ?? '')
  return Math.max(0, (at - (Number.isNaN(now) ? Date.now() : now)) / 1000)
}

/** How each form of an HTTP date begins (RFC 9110, section 5.6.7). */
const WEEKDAY = /^\s*[A-Z]/
