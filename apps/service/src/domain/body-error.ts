import { ServiceError } from './service-error.ts'

/**
 * The 400 for a body that does not fit its schema: absent fields and wrong types have codes of their own.
 *
 * @param param The field, or an empty text for the body as a whole, which is no field.
 * @param issue The schema's first complaint, in its own words.
 * @param label What the message calls the field. @default its name
 */
export function bodyError(param: string, issue: string | undefined, label: string = param): ServiceError {
  // How zod tells an absent field from one of a wrong type.
  const missing = issue?.endsWith('received undefined') ?? false
  const code = missing ? 'missing_required_field' : 'invalid_type'
  const message = missing ? `${label} is required` : `${label} ${inOurWords(issue)}`
  return new ServiceError(400, code, message, param === '' ? {} : { param })
}

function inOurWords(issue: string = 'is invalid'): string {
  const { expected, received } = /expected (?<expected>\w+), received (?<received>\w+)$/.exec(issue)?.groups ?? {}
  if (expected === undefined || received === undefined) return issue.replace(/^./, (first) => first.toLowerCase())
  return `must be ${oneOf(expected)}, not ${oneOf(received)}`
}

function oneOf(type: string): string {
  if (type === 'null') return type
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}
