import { kind } from './kind.ts'
import { unknownName } from './names.ts'

/** What is wrong with a value, or with a part of it. */
export interface ValueFault {
  /** Path of the part inside the value, such as `.timeout` or `[2]`. @default the whole value */
  readonly at?: string
  /** The requirement, e.g. `must be a function`. It must not repeat a string that may be secret. */
  readonly fault: string
  /** The value of the part. */
  readonly value?: unknown
  /** Leaves the value out of the message, because it may be a secret. */
  readonly isSecret?: boolean
  /** Shows a short text in the message, because the option has a few known values and is never a secret. */
  readonly isPublic?: boolean
}

/**
 * Returns the requirement that a value violates, e.g. `must be a function`, or `undefined` for a valid value. An absent
 * option is `undefined`. The text must not repeat a string that may be secret.
 */
export type OptionRule = (value: unknown) => string | ValueFault | undefined

/** The rule of every option by name. Other names are unknown. */
export type OptionRules = Readonly<Record<string, OptionRule>>

/** The first wrong option. */
export interface OptionFault {
  /** Its name. `undefined` when the options are not an object. */
  readonly option: string | undefined
  /** The option, its requirement, and its value unless that may be secret. */
  readonly message: string
}

/**
 * Finds the first wrong option: an unknown name, or a value that violates its rule.
 *
 * @param owner The function or command with these options, such as `transcribeUpload()`. It starts the message.
 */
export function findOptionFault(options: unknown, rules: OptionRules, owner?: string): OptionFault | undefined {
  const start = owner === undefined ? '' : `${owner}: `
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return { option: undefined, message: `${start}the options must be an object, got ${kind(options)}` }
  }
  const names = Object.keys(rules)
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(rules, name))
  if (unknown !== undefined) return { option: unknown, message: start + unknownName(unknown, names) }
  for (const option of names) {
    const message = describeFault(option, rules[option], Reflect.get(options, option))
    if (message !== undefined) return { option, message: start + message }
  }
  return undefined
}

/** Longest text that a message shows. */
const MAX_SHOWN = 20

/** Returns the message about one value, or `undefined` when it is valid: `` `timeout` must be …, got -1 ``. */
export function describeFault(name: string, rule: OptionRule | undefined, value: unknown): string | undefined {
  const found = rule?.(value)
  if (found === undefined) return undefined
  const fields: ValueFault = typeof found === 'string' ? { fault: found, value } : found
  const { at = '', fault, value: part, isSecret = false, isPublic = false } = fields
  const path = `\`${name}${at}\``
  if (fault.startsWith('Unknown')) return `${path}: ${fault}`
  if (isSecret) return `${path} ${fault}`
  const isShown = isPublic && typeof part === 'string' && part.trim() !== '' && part.length <= MAX_SHOWN
  return `${path} ${fault}, got ${isShown ? `'${part}'` : kind(part)}`
}
