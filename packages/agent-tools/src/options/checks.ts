import { ConfigurationError } from '@svc-audio/core'
import { kind, unknownName } from '@svc-audio/options'

/** Checks the value of an option. @throws ConfigurationError naming the option */
export type OptionCheck = (value: unknown, option: string) => void

/**
 * Checks options when they are given: unknown names, missing ones, and each value.
 * @param checks The known options.
 * @param required Options that must be there.
 * @throws ConfigurationError naming the option
 */
export function checkOptions(
  options: unknown,
  checks: Readonly<Record<string, OptionCheck>>,
  required: readonly string[],
): void {
  checkObject(options, 'options')
  checkKnown(options, Object.keys(checks))
  for (const [option, check] of Object.entries(checks)) {
    const value: unknown = Reflect.get(options, option)
    if (value !== undefined || required.includes(option)) check(value, option)
  }
}

/** @throws ConfigurationError unless it is an object, not an array */
export function checkObject(value: unknown, option: string): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(option, 'an object', value)
}

/** @throws ConfigurationError unless it is a function */
export function checkFunction(value: unknown, option: string): void {
  if (typeof value !== 'function') refuse(option, 'a function', value)
}

/** @throws ConfigurationError unless it is an `AbortSignal` */
export function checkSignal(value: unknown, option: string): void {
  if (!(value instanceof AbortSignal)) refuse(option, 'an AbortSignal', value)
}

/** Throws for a wrong option. @throws ConfigurationError */
export function refuse(option: string, rule: string, value: unknown): never {
  throw new ConfigurationError(`\`${option}\` must be ${rule}, got ${kind(value)}`)
}

/** @throws ConfigurationError for names that no option has */
export function checkKnown(value: object, known: readonly string[], prefix = ''): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const path = prefix === '' ? '' : `\`${prefix.slice(0, -1)}\`: `
  throw new ConfigurationError(path + unknownName(unknown, known, prefix === '' ? 'option' : 'field'))
}

/** @throws ConfigurationError unless it is a text with more than spaces */
export function checkText(value: unknown, option: string): void {
  if (typeof value !== 'string' || value.trim() === '') refuse(option, 'a non-empty string', value)
}

/** @throws ConfigurationError unless it is a whole number of at least 1 */
export function checkCount(value: unknown, option: string): void {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    refuse(option, 'a positive integer', value)
  }
}

/** @throws ConfigurationError unless it is a finite number above 0 */
export function checkPositive(value: unknown, option: string): void {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
    refuse(option, 'a number greater than 0', value)
}

/** @throws ConfigurationError unless it is true or false */
export function checkFlag(value: unknown, option: string): void {
  if (typeof value !== 'boolean') refuse(option, 'true or false', value)
}

/** @throws ConfigurationError unless it is an object with these methods */
export function checkMethods(value: unknown, option: string, methods: readonly string[]): void {
  const object = typeof value === 'object' && value !== null ? value : undefined
  const missing = methods.find((name) => typeof (object && Reflect.get(object, name)) !== 'function')
  if (missing !== undefined) refuse(option, `an object with the methods ${methods.join(', ')}`, value)
}

/** Structural, since a client may be of a second copy of core. @throws ConfigurationError */
export function checkClient(value: unknown, option: string): void {
  const object = typeof value === 'object' && value !== null ? value : {}
  const parts = ['speech', 'transcriptions', 'dialogue', 'tasks']
  if (!parts.every((name) => typeof Reflect.get(object, name) === 'object')) refuse(option, 'an AudioClient', value)
}
