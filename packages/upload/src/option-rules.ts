import { kind, type OptionRule, type OptionRules } from './check-options.ts'

/** The option may be absent. */
export function optional(rule: OptionRule): OptionRule {
  return (value) => (value === undefined ? undefined : rule(value))
}

/** The option may be a function of the request. Its results are checked at each request. */
export function perRequest(rule: OptionRule): OptionRule {
  return (value) => (typeof value === 'function' ? undefined : rule(value))
}

/** The option is an integer of at least this value. */
export function integer(least: number, unit: string): OptionRule {
  const what = least > 0 ? 'a positive integer' : 'a non-negative integer'
  return (value) => (Number.isSafeInteger(value) && Number(value) >= least ? undefined : `must be ${what} of ${unit}`)
}

/** The option is a time in milliseconds within the range of Node's timers: up to 24 days. */
export const milliseconds: OptionRule = (value) =>
  typeof value === 'number' && value > 0 && value < 2 ** 31
    ? undefined
    : 'must be a number of milliseconds greater than 0, at most 2147483647'

/** The option is text. */
export const text: OptionRule = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a non-empty string'

/** The option is `true` or `false`. */
export const flag: OptionRule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')

/** The option is a function. */
export const callback: OptionRule = (value) => (typeof value === 'function' ? undefined : 'must be a function')

/** The option is an object, with rules for its fields. */
export function fields(rules: OptionRules): OptionRule {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object'
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(rules, name))
    if (unknown !== undefined) return `has no field \`${unknown}\`: use ${Object.keys(rules).join(', ')}`
    for (const [name, rule] of Object.entries(rules)) {
      const given: unknown = Reflect.get(value, name)
      const fault = rule(given)
      if (fault !== undefined) return `has a field \`${name}\` that ${fault}, not ${kind(given)}`
    }
    return undefined
  }
}

/** The option is one of these strings. */
export function oneOf(values: readonly string[]): OptionRule {
  const all = values.map((value) => `'${value}'`).join(' or ')
  return (value) => (typeof value === 'string' && values.includes(value) ? undefined : `must be ${all}`)
}

/** The option is a list of strings. */
export const texts: OptionRule = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? undefined : 'must be an array of strings'

/**
 * The option is a client.
 * @param resource The resource that is called, e.g. `transcriptions`.
 */
export function clientWith(resource: string): OptionRule {
  return (value) =>
    typeof value === 'object' && value !== null && typeof Reflect.get(value, resource) === 'object'
      ? undefined
      : 'must be an AudioClient of @svc-audio/core'
}

/** The option is a logger, or `false`. */
export const logger: OptionRule = (value) =>
  value === false || (typeof value === 'object' && value !== null && typeof Reflect.get(value, 'error') === 'function')
    ? undefined
    : 'must be false or an object with a method `error`, such as console'
