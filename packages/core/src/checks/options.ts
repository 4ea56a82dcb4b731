import { describeFault, findOptionFault, optional } from '@svc-audio/options'
import { ConfigurationError } from '../errors.ts'

/**
 * Says why a value is refused, and nothing of one that is accepted. The same as the rule of `@svc-audio/options`, which
 * core bundles: published types must not name a package that users do not install.
 */
export type OptionRule = (
  value: unknown,
) =>
  | string
  | { readonly at?: string; readonly fault: string; readonly value?: unknown; readonly isSecret?: boolean }
  | undefined

/** Rules by the name of their option. */
type OptionRules = Readonly<Record<string, OptionRule>>

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
