import { ServiceError } from './service-error.ts'

/**
 * Creates the 400 for a body that does not match its schema. Absent fields and wrong types have separate codes.
 *
 * @param param The field, or an empty string for the body as a whole.
 * @param issue The first issue that the schema reports.
 * @param label Name of the field in the message. @default `param`
 */
export function bodyError(param: string, issue: string | undefined, label: string = param): ServiceError {
  // zod reports an absent field as `undefined`.
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
