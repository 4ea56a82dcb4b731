/** The server breaks the rule. */
export class Violation extends Error {
  override readonly name = 'Violation' as const
}

/** The rule is optional, and the server does not implement it. */
export class NotSupported extends Error {
  override readonly name = 'NotSupported' as const
}

/** The check lacks an option. The message names the option. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked' as const
}

/** @throws Violation with the message, unless the condition holds */
export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Violation(message)
}

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether this is a JSON object, not an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Describes the required value. Returns `undefined` for a matching value. */
type Kind = (value: unknown) => string | undefined

const kind =
  (what: string, is: (value: unknown) => boolean): Kind =>
  (value) =>
    is(value) ? undefined : what

/** Ten digits are seconds since 2001, not milliseconds. Zero is not a time. */
const isSeconds = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1e9 && value < 1e11

/** A string that may be empty. */
export const string: Kind = kind('a string', (value) => typeof value === 'string')
/** A non-empty string. */
export const text: Kind = kind('a non-empty string', (value) => typeof value === 'string' && value !== '')
/** True or false. */
export const boolean: Kind = kind('a boolean', (value) => typeof value === 'boolean')
/** A finite number. */
export const number: Kind = kind('a number', (value) => typeof value === 'number' && Number.isFinite(value))
/** A number without a fraction. */
export const integer: Kind = kind('an integer', Number.isInteger)
/** A whole number from 1. */
export const positive: Kind = kind(
  'a positive integer',
  (value) => typeof value === 'number' && Number.isInteger(value) && value > 0,
)
/** A whole number that is not negative. */
export const natural: Kind = kind(
  'a whole number',
  (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0,
)
/** A time in Unix seconds. */
export const seconds: Kind = kind('a time in Unix seconds', isSeconds)
/** A time in Unix seconds, or 0 for one that the server does not know. */
export const secondsOrUnknown: Kind = kind(
  'a time in Unix seconds, or 0 for an unknown one',
  (value) => value === 0 || isSeconds(value),
)
/** An array of anything. */
export const list: Kind = kind('an array', Array.isArray)
/** An address. */
export const url: Kind = kind('a URL', (value) => typeof value === 'string' && URL.canParse(value))
/** A JSON object. */
export const object: Kind = kind('an object', isFields)

/** Exactly one of these. */
export function oneOf(...values: readonly unknown[]): Kind {
  return kind(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.includes(value))
}

/** A text of this form. */
export function like(pattern: RegExp): Kind {
  return kind(`of the form ${pattern.source}`, (value) => typeof value === 'string' && pattern.test(value))
}

/**
 * Requires each of these fields with its kind.
 * @param where Owner of the fields, for the message.
 * @throws Violation with the first missing or wrong field
 */
export function requireShape(where: string, fields: Fields, shape: Readonly<Record<string, Kind>>): void {
  for (const [name, isWrong] of Object.entries(shape)) {
    ensure(name in fields, `${where} has no ${name}: ${JSON.stringify(fields).slice(0, 200)}`)
    const wanted = isWrong(fields[name])
    ensure(
      wanted === undefined,
      `${where}: ${name} must be ${wanted}, not ${JSON.stringify(fields[name])?.slice(0, 100)}`,
    )
  }
}
