import { InvalidRequestError } from '../errors/request-errors.ts'

/**
 * An id that becomes part of a path.
 * @returns The id, escaped
 * @throws InvalidRequestError `missing_required_field`
 */
export function pathId(id: string, field: string): string {
  // URL parsers remove a lone dot from a path, and another endpoint would answer.
  if (typeof id === 'string' && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id)
  throw new InvalidRequestError('missing_required_field', field, 'must be an id')
}
