import { ConfigurationError } from '@svc-audio/core'

/**
 * A rule returns the requirement that a value violates, e.g. `must be a function`, or `undefined` for a valid value. An
 * absent option is `undefined`. The text must not repeat a string that may be secret.
 */
export type OptionRule = (value: unknown) => string | undefined

/** The rule of every option by name. Other names are refused. */
export type OptionRules = Readonly<Record<string, OptionRule>>

/**
 * Checks options when a server starts, before its first request.
 *
 * @param caller The function with these options, e.g. `transcribeUpload`. It starts the message.
 * @throws ConfigurationError naming the option, its requirement and its value
 */
export function checkOptions(caller: string, options: unknown, rules: OptionRules): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError(`${caller}() needs an object of options, got ${kind(options)}`)
  }
  for (const name of Object.keys(options)) if (!Object.hasOwn(rules, name)) throw unknownOption(caller, name, rules)
  for (const [name, rule] of Object.entries(rules)) {
    const value: unknown = Reflect.get(options, name)
    const fault = rule(value)
    if (fault !== undefined) throw new ConfigurationError(`${caller}(): \`${name}\` ${fault}, got ${kind(value)}`)
  }
}

function unknownOption(caller: string, name: string, rules: OptionRules): ConfigurationError {
  const names = Object.keys(rules)
  const meant = names.find((known) => plain(known) === plain(name))
  const remedy = meant === undefined ? `use one of ${names.join(', ')}` : `use \`${meant}\``
  return new ConfigurationError(`${caller}(): there is no option \`${name}\`: ${remedy}`)
}

/** A name without case and separators. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}

/** A value for a message: numbers and the like verbatim, a string only as its type, because it may be a key. */
export function kind(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (value === '') return 'an empty string'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return Array.isArray(value) ? 'an array' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`
}
