import type { OptionRule } from '#options'

export { callback, clientWith, fields, flag, integer, milliseconds, oneOf, optional, text, texts } from '#options'

/** The option may be a function of the request. Its results are checked at each request. */
export function perRequest(rule: OptionRule): OptionRule {
  return (value) => (typeof value === 'function' ? undefined : rule(value))
}

/** The option is a logger, or `false`. */
export const logger: OptionRule = (value) =>
  value === false || (typeof value === 'object' && value !== null && typeof Reflect.get(value, 'error') === 'function')
    ? undefined
    : 'must be false or an object with a method `error`, such as console'

/** The option is a Standard Schema, or a function that checks fields. */
export const fieldsCheck: OptionRule = (value) =>
  typeof value === 'function' || (typeof value === 'object' && value !== null && '~standard' in value)
    ? undefined
    : 'must be a Standard Schema, such as `z.object(…)`, or a function'
