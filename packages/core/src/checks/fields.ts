import { InvalidRequestError } from '../errors/invalid-request-error.ts'

/**
 * A body's field must be a string with something in it.
 * @throws InvalidRequestError `missing_required_field`
 */
export function requireText(body: object, field: string): string {
  const value: unknown = Reflect.get(body, field)
  if (typeof value !== 'string' || value.trim() === '') {
    throw new InvalidRequestError('missing_required_field', field, 'is required and must be a non-empty string')
  }
  return value
}

/**
 * Fields that this call does not take must be absent. They are refused, not dropped: whoever sets one expects it to work.
 * @throws InvalidRequestError `unsupported_field`
 */
export function refuseFields(body: object, fields: Readonly<Record<string, string>>): void {
  for (const [field, remedy] of Object.entries(fields)) {
    const value: unknown = Reflect.get(body, field)
    if (value !== undefined) throw new InvalidRequestError('unsupported_field', field, remedy)
  }
}

/**
 * A field must hold one of these values, or be absent.
 * @throws InvalidRequestError
 */
export function requireOneOf(body: object, field: string, values: readonly unknown[], code = 'invalid_value'): void {
  const value: unknown = Reflect.get(body, field)
  if (value === undefined || values.includes(value)) return
  throw new InvalidRequestError(code, field, `must be ${values.map((one) => JSON.stringify(one)).join(' or ')}`)
}

/**
 * A field must hold an integer within bounds, or be absent.
 * @throws InvalidRequestError `invalid_range`
 */
export function requireInteger(body: object, field: string, min: number, max: number): void {
  const value: unknown = Reflect.get(body, field)
  if (value === undefined || (Number.isInteger(value) && Number(value) >= min && Number(value) <= max)) return
  throw new InvalidRequestError('invalid_range', field, `must be an integer from ${min} to ${max}`)
}

/**
 * Fields must hold text, or be absent.
 * @throws InvalidRequestError `invalid_type`
 */
export function optionalText(body: object, ...fields: readonly string[]): void {
  for (const field of fields) {
    const value: unknown = Reflect.get(body, field)
    if (value !== undefined && typeof value !== 'string') {
      throw new InvalidRequestError('invalid_type', field, 'must be a string')
    }
  }
}

/**
 * A field must hold a list of objects with at least one in it.
 * @throws InvalidRequestError `missing_required_field`
 */
export function requireList(body: object, field: string): object[] {
  const value: unknown = Reflect.get(body, field)
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one !== null)) {
    return value
  }
  throw new InvalidRequestError('missing_required_field', field, 'is required and must be a non-empty array of objects')
}
