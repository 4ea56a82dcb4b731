import { ApiError } from '../errors/api-error.ts'
import type { TransportResponse } from './transport.ts'

/** Most bytes of an error body that are read. */
const MAX_ERROR_BYTES = 64 * 1024

/**
 * The error of a response that is none of 2xx. The body's shape is not documented in full (interface: Errors), so
 * nested and flat fields, plain text and nothing at all are understood.
 */
export async function readApiError(response: TransportResponse, what: string): Promise<ApiError> {
  const fields = errorFields(await readText(response))
  const { status, headers } = response
  const redirect =
    status >= 300 && status < 400 ? ' (redirects are not followed: set baseUrl to the final address)' : ''
  return new ApiError(`${what} answered ${status}: ${fields.message ?? 'no message'}${redirect}`, {
    status,
    code: fields.code,
    param: fields.param,
    type: fields.type,
    requestId: headers['x-request-id'],
    retryAfter: retryAfterSeconds(headers['retry-after'], headers['date']),
  })
}

/** `code` and `message` of an error object as services spell it: nested under `error`, flat, or a bare string. */
export function errorFields(value: unknown): ErrorFields {
  if (typeof value === 'string') return value.trim() === '' ? {} : { message: value.trim().slice(0, 500) }
  if (typeof value !== 'object' || value === null) return {}
  if ('error' in value && (typeof value.error === 'object' || typeof value.error === 'string')) {
    const nested = errorFields(value.error)
    if (nested.message !== undefined || nested.code !== undefined) return nested
  }
  return {
    code: textField(value, 'code'),
    message: textField(value, 'message'),
    param: textField(value, 'param'),
    type: textField(value, 'type'),
  }
}

/** What can be read of an error. */
export interface ErrorFields {
  readonly code?: string | undefined
  readonly message?: string | undefined
  readonly param?: string | undefined
  readonly type?: string | undefined
}

function textField(value: object, name: string): string | undefined {
  const found: unknown = Reflect.get(value, name)
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found !== '' ? found : undefined
}

async function readText(response: TransportResponse): Promise<unknown> {
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
    return text.startsWith('<') ? '' : text
  }
}

/**
 * `Retry-After` in seconds, from either of its forms; `undefined` when it is absent or unreadable.
 * @param date The answer's own `Date`, so that the two clocks need not agree.
 */
export function retryAfterSeconds(value: string | undefined, date: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Number(value)
  const at = Date.parse(value)
  const now = date === undefined ? Date.now() : Date.parse(date)
  return Number.isNaN(at) || Number.isNaN(now) ? undefined : Math.max(0, (at - now) / 1000)
}
