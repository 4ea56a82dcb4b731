import { fields, object, optional } from '#options'
import { anything, checkOptions } from '../upstream/checks.ts'
import { type HttpReply, json } from '../upstream/reply.ts'

/** Options of {@link status}. */
export interface StatusOptions {
  /** For example `{ 'retry-after': '1' }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Text, or a value to send as JSON. By default an error in the form of {@link ErrorFields}. */
  readonly body?: unknown
  /** Fields of the default body. */
  readonly error?: ErrorFields
}

/**
 * Fields of a synchronous error. The interface names `error.code` and `error.message` for streams and leaves the rest
 * open. These fields follow the self-hosted service.
 */
export interface ErrorFields {
  /** @default 'scripted_error' */
  readonly code?: string
  /** @default 'The test upstream was told to answer so' */
  readonly message?: string
  /** The wrong field. @default null */
  readonly param?: string | null
  /** @default 'api_error', below 500 'invalid_request_error' */
  readonly type?: string
}

const ERROR = fields({ code: anything, message: anything, param: anything, type: anything })
const RULES = { headers: optional(object), body: anything, error: optional(ERROR) }

/** Answers with a status. From 400 on, the body is an error. */
export function status(code: number, options: StatusOptions = {}): HttpReply {
  checkOptions('status()', options, RULES)
  const { headers = {}, body, error } = options
  if (typeof body === 'string') return { status: code, headers: { 'content-type': 'text/plain', ...headers }, body }
  if (body !== undefined) return json(body, { status: code, headers })
  if (code < 400 && error === undefined) return { status: code, headers }
  const written = {
    code: 'scripted_error',
    message: 'The test upstream was told to answer so',
    type: code < 500 ? 'invalid_request_error' : 'api_error',
    param: null,
    ...error,
  }
  return json({ error: written }, { status: code, headers })
}

/**
 * Redirects the client.
 * @param to Address for `location`.
 * @param code 307 by default, which preserves method and body.
 */
export function redirect(to: string, code: 301 | 302 | 303 | 307 | 308 = 307): HttpReply {
  return { status: code, headers: { location: to } }
}
