import { ConfigurationError } from '@svc-audio/core'
import { findOptionFault, type OptionRules } from '#options'

/**
 * Checks options when they are given.
 * @param owner The function with these options, such as `detectUtterances()`. It starts the message.
 * @throws ConfigurationError naming the option, its requirement and its value
 */
export function checkOptions(owner: string, options: unknown, rules: OptionRules): void {
  const fault = findOptionFault(options, rules, owner)
  if (fault !== undefined) throw new ConfigurationError(fault.message)
}
