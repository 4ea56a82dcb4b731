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
