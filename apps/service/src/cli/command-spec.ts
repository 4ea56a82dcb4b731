import type { ServiceOptions } from '../service-options.ts'
import { UsageError } from './errors.ts'

/** An option that belongs to some commands. */
export interface CommandFlag {
  /** Its name without dashes. */
  readonly name: string
  /** What its value is, for the help. A flag without a value has none. */
  readonly value?: string
  readonly meaning: string
}

/** What a command receives from the command line and the environment. */
export interface CommandInput {
  /** The words after the name of the command. */
  readonly args: readonly string[]
  /** The given options of the command, by name without dashes. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
  /** All settings, checked. */
  readonly options: ServiceOptions
}

/**
 * A command of the program. The list in `commands/index.ts` is the only place that names the commands: reading, help
 * and documentation come from it.
 */
export interface CommandSpec {
  /** The words that select it, e.g. `keys create`. */
  readonly name: string
  /** Its arguments, e.g. `<tenant> [<days>]`. @default none */
  readonly usage?: string
  /** What it does, in one line. */
  readonly meaning: string
  /** More about it, for its own help. @default nothing */
  readonly details?: string
  /** Its options beside the settings. @default none */
  readonly flags?: readonly CommandFlag[]
  /**
   * Checks the arguments. Touches nothing yet.
   * @returns Runs the command. Resolves with the text to print.
   * @throws UsageError naming the argument or the option
   */
  readonly read: (input: CommandInput) => () => Promise<string>
}

/** The option of every list. */
export const JSON_FLAG: CommandFlag = { name: 'json', meaning: 'prints JSON' }

/** The option that bounds a list. */
export const LIMIT_FLAG: CommandFlag = { name: 'limit', value: '<number>', meaning: 'maximum entries (default: 100)' }

/** Reads {@link LIMIT_FLAG}. @throws UsageError naming the option */
export function listLimit({ flags }: Pick<CommandInput, 'flags'>): number {
  const { limit } = flags
  if (limit === undefined) return 100
  const number = Number(limit)
  if (/^\d+$/.test(String(limit)) && number >= 1 && number <= MOST) return number
  throw new UsageError(`--limit must be an integer from 1 to ${MOST}, got ${JSON.stringify(limit)}`)
}

/** The option that selects a tenant. */
export const TENANT_FLAG: CommandFlag = { name: 'tenant', value: '<tenant>', meaning: 'only this tenant' }

/** @throws UsageError when a command that takes no arguments has some */
export function takesNothing({ args }: CommandInput, name: string): void {
  if (args.length > 0) throw new UsageError(`${name} takes no arguments, got ${JSON.stringify(args.join(' '))}`)
}

/**
 * Checks the number of arguments.
 * @param max @default `min`
 * @throws UsageError with the usage
 */
export function takes(
  { args }: CommandInput,
  { name, usage = '' }: Pick<CommandSpec, 'name' | 'usage'>,
  min: number,
  max: number = min,
): readonly string[] {
  if (args.length >= min && args.length <= max && !args.includes('')) return args
  throw new UsageError(`${name} needs: ${usage}`)
}

/** @throws UsageError for other characters and lengths */
export function tenantName(name: string): string {
  if (/^[\w.-]{1,100}$/.test(name)) return name
  throw new UsageError('A tenant is 1 to 100 letters, digits, dots, dashes and underscores')
}

/** Maximum hours and days of a command. */
const MOST = 100_000

/**
 * Reads an optional integer.
 * @param unit What it counts: hours or days.
 * @param min @default 0
 * @throws UsageError naming the unit
 */
export function optionalNumber(text: string | undefined, unit: string, min: number = 0): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= min && number <= MOST) return number
  throw new UsageError(`The ${unit} must be an integer from ${min} to ${MOST}, got ${text}`)
}
