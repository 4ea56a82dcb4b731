import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { FILES_LIMIT_MAX, FILES_OFFSET_MAX } from '../wire/limits.ts'
import { check, given, integer, optionalText } from './rules.ts'

/**
 * The rules of `GET /v1/files` (interface: List files).
 * @throws InvalidRequestError naming the field
 */
export function checkFileList(query: object): void {
  check(query, { limit: integer(1, FILES_LIMIT_MAX), offset: integer(0, FILES_OFFSET_MAX), purpose: optionalText })
}

/**
 * The rules of `POST /v1/files`.
 * @throws InvalidRequestError naming the field
 */
export function checkFileCreation(body: object): void {
  check(body, { file: given, purpose: optionalText })
}

/**
 * An id that becomes part of a path.
 * @returns The id, escaped
 * @throws InvalidRequestError `missing_required_field`
 */
export function pathId(id: string, field: string): string {
  // A dot alone would be taken out of the path by whoever parses it, and another endpoint would answer.
  if (typeof id === 'string' && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id)
  throw new InvalidRequestError('missing_required_field', field, 'must be an id')
}
