import type { OptionRule, OptionRules } from './check-options.ts'
import { unknownName } from './names.ts'

/** The option may be absent. */
export function optional(rule: OptionRule): OptionRule {
  return (value) => (value === undefined ? undefined : rule(value))
}

/** The option is an integer of at least this value, and at most another. */
export function integer(min: number, unit?: string, max: number = Number.MAX_SAFE_INTEGER): OptionRule {
  const any = min > 1 ? `an integer of at least ${min}` : `a ${min > 0 ? 'positive' : 'non-negative'} integer`
  const what = max < Number.MAX_SAFE_INTEGER ? `an integer from ${min} to ${max}` : any
  const fault = `must be ${what}${unit === undefined ? '' : ` of ${unit}`}`
  return (value) => (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max ? undefined : fault)
}

/** The option is a finite number above 0. */
export function positive(unit?: string): OptionRule {
  return (value) =>
    typeof value === 'number' && Number.isFinite(value) && value > 0
      ? undefined
      : `must be a number ${unit === undefined ? '' : `of ${unit} `}greater than 0`
}

/** The option is a time in milliseconds within the range of Node's timers: up to 24 days. */
export const milliseconds: OptionRule = (value) =>
  typeof value === 'number' && value > 0 && value < 2 ** 31
    ? undefined
    : 'must be a number of milliseconds greater than 0, at most 2147483647'

/** The option is a time in seconds within the range of Node's timers: up to 24 days. */
export const timerSeconds: OptionRule = (value) =>
  typeof value === 'number' && value > 0 && value * 1000 < 2 ** 31
    ? undefined
    : 'must be a number of seconds greater than 0, at most 2147483'

/** The option is text with more than spaces. */
export const text: OptionRule = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a non-empty string'

/** The option is text, such as a key. The message shows nothing of it, also when it is a number. */
export const secret: OptionRule = (value) => {
  const fault = text(value)
  return typeof fault === 'string' ? { fault, isSecret: true } : fault
}

/** The option is a list of strings. */
export const texts: OptionRule = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? undefined : 'must be an array of strings'

/**
 * The option is an array, with a rule for each entry.
 * @param what The entries in a message, such as `hosts`.
 * @param min Fewest entries, 0 or 1. @default 1
 */
export function list(rule: OptionRule, what: string, min: 0 | 1 = 1): OptionRule {
  return (value) => {
    if (!Array.isArray(value) || value.length < min)
      return `must be ${min === 1 ? 'a non-empty' : 'an'} array of ${what}`
    for (const [index, entry] of value.entries()) {
      const fault = rule(entry)
      if (typeof fault === 'string') return { at: `[${index}]`, fault, value: entry }
      if (fault !== undefined) return { value: entry, ...fault, at: `[${index}]${fault.at ?? ''}` }
    }
    return undefined
  }
}

/**
 * The option is a client of `@svc-audio/core` with these resources. It may be of another copy of the package.
 * @param resources Names, such as `speech`.
 */
export function clientWith(...resources: readonly string[]): OptionRule {
  return (value) =>
    isObject(value) && resources.every((name) => typeof Reflect.get(value, name) === 'object')
      ? undefined
      : 'must be an AudioClient of @svc-audio/core'
}

/** The option is one of these strings. The message shows a wrong one. */
export function oneOf(values: readonly string[]): OptionRule {
  const all = values.map((value) => `'${value}'`)
  const fault = all.length > 2 ? `must be one of ${all.join(', ')}` : `must be ${all.join(' or ')}`
  return (value) => (typeof value === 'string' && values.includes(value) ? undefined : { fault, value, isPublic: true })
}

/** The option is `true` or `false`. */
export const flag: OptionRule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')

/** The option is a function. */
export const callback: OptionRule = (value) => (typeof value === 'function' ? undefined : 'must be a function')

/** The option is an `AbortSignal`. */
export const abortSignal: OptionRule = (value) => (value instanceof AbortSignal ? undefined : 'must be an AbortSignal')

/** The option is an object, not an array. */
export const object: OptionRule = (value) => (isObject(value) ? undefined : 'must be an object')

/** The option is an object with these methods. */
export function methods(...names: readonly string[]): OptionRule {
  return (value) =>
    isObject(value) && names.every((name) => typeof Reflect.get(value, name) === 'function')
      ? undefined
      : `must be an object with ${names.length === 1 ? 'the method' : 'the methods'} ${names.join(', ')}`
}

/** The option is an object, with a rule for each of its fields. */
export function fields(rules: OptionRules): OptionRule {
  return (value) => {
    if (!isObject(value)) return 'must be an object'
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(rules, name))
    if (unknown !== undefined) return { fault: unknownName(unknown, Object.keys(rules), 'field') }
    for (const [name, rule] of Object.entries(rules)) {
      const given: unknown = Reflect.get(value, name)
      const fault = rule(given)
      if (typeof fault === 'string') return { at: `.${name}`, fault, value: given }
      if (fault !== undefined) return { ...fault, at: `.${name}${fault.at ?? ''}` }
    }
    return undefined
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
