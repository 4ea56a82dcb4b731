import { InvalidRequestError } from '../errors/request-errors.ts'
import { isInteger } from './values.ts'

/** What is wrong with a field; the error names another one where that is to blame. */
export type Fault = readonly [code: string, message: string, param?: string | undefined]

/** Judges a field by its value, which is `undefined` where it is absent, and by those beside it. */
export type Rule = (value: unknown, fields: Fields, field: string) => Fault | undefined

/** The rule of each field, in the order in which they are judged. */
export type Rules = Readonly<Record<string, Rule>>

/** The fields of a body. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * Judges a body's fields. Those without a rule are let pass.
 * @param path Goes before the name of a field, e.g. `speakers[0].`.
 * @throws InvalidRequestError for the first fault
 */
export function check(body: object, rules: Rules, path = ''): void {
  const fields: Fields = { ...body }
  for (const [field, rule] of Object.entries(rules)) {
    const fault = rule(fields[field], fields, path + field)
    if (fault !== undefined) throw new InvalidRequestError(fault[0], fault[2] ?? path + field, fault[1])
  }
}

/** A field may be absent, else its rule holds. */
export function optional(rule: Rule): Rule {
  return (value, ...more) => (value === undefined ? undefined : rule(value, ...more))
}

/** A field must be there and hold text. */
export const text: Rule = (value) =>
  typeof value === 'string' && value.trim() !== ''
    ? undefined
    : ['missing_required_field', 'is required and must be a non-empty string']

/** A field must be there. */
export const given: Rule = (value) => (value === undefined ? ['missing_required_field', 'is required'] : undefined)

/** A field must hold a list of objects with at least one in it, each of which has its own rules. */
export function items(rules: Rules): Rule {
  return (value, _, field) => {
    if (!isList(value)) return ['missing_required_field', 'is required and must be a non-empty array of objects']
    for (const [index, item] of value.entries()) check(item, rules, `${field}[${index}].`)
    return undefined
  }
}

function isList(value: unknown): value is object[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one !== null)
}

/** A field must hold text, which may be empty, or be absent. */
export const optionalText: Rule = optional((value) =>
  typeof value === 'string' ? undefined : ['invalid_type', 'must be a string'],
)

/** A field that a call does not take is refused, not dropped: a caller who sets it expects it to work. */
export function refused(remedy: string, param?: string): Rule {
  return optional(() => ['unsupported_field', remedy, param])
}

/** A field must hold one of these values, or be absent. */
export function oneOf(values: readonly unknown[], code = 'invalid_value', param?: string): Rule {
  const message = `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`
  return optional((value) => (values.includes(value) ? undefined : [code, message, param]))
}

/** A field must hold `true` or `false`, or be absent. */
export const flag: Rule = oneOf([true, false], 'invalid_type')

/** A field must hold an integer within bounds, or be absent. */
export function integer(min: number, max: number): Rule {
  return optional((value) =>
    isInteger(value, min, max) ? undefined : ['invalid_range', `must be an integer from ${min} to ${max}`],
  )
}
