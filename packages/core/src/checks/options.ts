import { describeFault, findOptionFault, optional, type OptionRule, type OptionRules } from '#options'
import { ConfigurationError } from '../errors.ts'

/** Rules for every option of a type. */
export type RulesOf<Options> = Readonly<Record<keyof Options, OptionRule>>

/** Accepts every value: the option is checked where it is used. */
export const anything: OptionRule = () => undefined

/** A deadline. `Infinity` is none. */
const deadline: OptionRule = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'must be a number of milliseconds greater than 0'

/** {@link deadline} that may be absent. */
export const timeout: OptionRule = optional(deadline)

/** @throws ConfigurationError naming the first unknown option or wrong value */
export function checkRules(options: unknown, rules: OptionRules, owner: string): void {
  const fault = findOptionFault(options, rules, owner)
  if (fault !== undefined) throw new ConfigurationError(fault.message)
}

/** @throws ConfigurationError if the value of an option violates its rule */
export function checkOption(name: string, rule: OptionRule, value: unknown): void {
  const message = describeFault(name, rule, value)
  if (message !== undefined) throw new ConfigurationError(message)
}

/**
 * Checks the options of a client, a call or a wait.
 * @throws ConfigurationError naming an unknown option or a wrong value
 */
export type CheckOptions = (options: object, of: 'client' | 'call' | 'wait') => void
