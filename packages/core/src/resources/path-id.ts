import { InvalidRequestError } from '../errors/request-errors.ts'

/**
 * Escapes an id for a path.
 * @returns the escaped id
 * @throws InvalidRequestError `missing_required_field`
 */
export function pathId(id: string, field: string): string {
  // URL parsers remove a lone dot from a path, and the request would reach another endpoint.
  if (typeof id === 'string' && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id)
  throw new InvalidRequestError('missing_required_field', field, 'must be an id')
}
