import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { FILES_LIMIT_MAX, FILES_OFFSET_MAX } from '../wire/limits.ts'
import { optionalText, requireInteger } from './fields.ts'

/**
 * The rules of `GET /v1/files` (interface: List files).
 * @throws InvalidRequestError naming the field
 */
export function checkFileList(query: object): void {
  requireInteger(query, 'limit', 1, FILES_LIMIT_MAX)
  requireInteger(query, 'offset', 0, FILES_OFFSET_MAX)
  optionalText(query, 'purpose')
}

/**
 * The rules of `POST /v1/files`.
 * @throws InvalidRequestError naming the field
 */
export function checkFileCreation(body: object): void {
  if (Reflect.get(body, 'file') === undefined) {
    throw new InvalidRequestError('missing_required_field', 'file', 'is required')
  }
  optionalText(body, 'purpose')
}

/**
 * An id that becomes part of a path.
 * @returns The id, escaped
 * @throws InvalidRequestError `missing_required_field`
 */
export function pathId(id: string, field: string): string {
  // A dot alone would be taken out of the path by whoever parses it, and another endpoint would answer.
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') return encodeURIComponent(id)
  throw new InvalidRequestError('missing_required_field', field, 'must be an id')
}
