import { ApiError } from '../errors.ts'
import type { Redact } from './key-source.ts'
import type { TransportResponse } from './transport.ts'

/** Maximum bytes to read of an error body. */
const MAX_ERROR_BYTES = 64 * 1024

/** Maximum characters of an error message from a plain-text body. */
const MAX_PLAIN_MESSAGE = 500

/**
 * The error of a response with a status other than 2xx. The interface does not fully document the body (interface:
 * Errors). Nested fields, flat fields, plain text and an empty body all work.
 */
export async function readApiError(response: TransportResponse, what: string, redact: Redact): Promise<ApiError> {
  const { message, ...fields } = errorFields(await readBody(response), redact)
  const { status, headers } = response
  const redirect = status < 400 ? ' (redirects are not followed)' : ''
  return new ApiError(`${what} answered ${status}: ${message ?? 'no message'}${redirect}`, {
    ...fields,
    status,
    serviceMessage: message,
    requestId: headers['x-request-id'],
    retryAfter: retryAfterSeconds(headers['retry-after'], headers['date']),
  })
}

/** `code` and `message` of an error object: nested under `error`, flat, or a bare string. */
export function errorFields(value: unknown, redact: Redact): ErrorFields {
  const error: unknown = Reflect.get(new Object(value), 'error')
  const flat = fieldsOf(value, redact)
  const nested = fieldsOf(error, redact)
  if (typeof error === 'string') return { ...flat, message: flat.message ?? nested.message }
  return (nested.message ?? nested.code) === undefined ? flat : nested
}

/** Fields of an error body. */
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
  const detail = detailOf(value, redact)
  const message = text('message') ?? text('detail') ?? detail.message
  return { code: text('code'), message, param: text('param') ?? detail.param, type: text('type') }
}

/** The first entry of a list `detail`, as FastAPI sends it. The rest of an entry may repeat the request. */
function detailOf(value: unknown, redact: Redact): Pick<ErrorFields, 'message' | 'param'> {
  const first = new Object(Reflect.get(new Object(Reflect.get(new Object(value), 'detail')), 0))
  const message: unknown = Reflect.get(first, 'msg')
  // The path to the field, as ["body", "language"].
  const path: unknown = Reflect.get(first, 'loc')
  const field: unknown = Array.isArray(path) ? path.at(-1) : undefined
  return {
    message: typeof message === 'string' ? redact(message) : undefined,
    param: typeof field === 'string' ? redact(field) : undefined,
  }
}

/** The body as JSON, else as text. */
async function readBody({ body }: TransportResponse): Promise<unknown> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      bytes += chunk.byteLength
      if (bytes >= MAX_ERROR_BYTES) break
    }
  } catch {
    // The status matters most, so a partial body is enough.
  }
  try {
    return JSON.parse(text)
  } catch {
    // HTML, or binary data such as a compressed body.
    return text.trimStart().startsWith('<') || text.includes('\uFFFD') ? undefined : text
  }
}

/**
 * `Retry-After` in seconds, from either form. `undefined` if it is absent or invalid.
 * @param date The `Date` header of the response, so the two clocks need not agree.
 */
export function retryAfterSeconds(value: string | undefined, date: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Number(value)
  // `Date.parse` accepts nearly anything, even `-5`.
  const at = WEEKDAY.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const now = Date.parse(date ?? '')
  return Math.max(0, (at - (Number.isNaN(now) ? Date.now() : now)) / 1000)
}

/** How each form of an HTTP date begins (RFC 9110, section 5.6.7). */
const WEEKDAY = /^\s*[A-Z]/
