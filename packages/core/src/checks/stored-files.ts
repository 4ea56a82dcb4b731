import { FILES_LIMIT_MAX, FILES_OFFSET_MAX } from '../wire/limits.ts'
import { check, given, integer, optionalText, type Rules } from './rules.ts'

/** Made once: short requests come in great numbers. */
const LIST_RULES: Rules = {
  limit: integer(1, FILES_LIMIT_MAX),
  offset: integer(0, FILES_OFFSET_MAX),
  purpose: optionalText,
}

const CREATION_RULES: Rules = { file: given, purpose: optionalText }

/**
 * The rules of `GET /v1/files` (interface: List files).
 * @throws InvalidRequestError naming the field
 */
export function checkFileList(query: object): void {
  check(query, LIST_RULES)
}

/**
 * The rules of `POST /v1/files`.
 * @throws InvalidRequestError naming the field
 */
export function checkFileCreation(body: object): void {
  check(body, CREATION_RULES)
}
