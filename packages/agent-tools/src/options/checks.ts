import { ConfigurationError } from '@svc-audio/core'
import { clientWith, describeFault, findOptionFault, type OptionRule, type OptionRules } from '@svc-audio/options'

/**
 * Checks options when they are given: unknown names, missing ones, and each value.
 * @param owner The function or class with these options, such as `createSpeechTools()`. It starts the message.
 * @throws ConfigurationError naming the option
 */
export function checkOptions(options: unknown, rules: OptionRules, owner?: string): void {
  const fault = findOptionFault(options, rules, owner)
  if (fault !== undefined) throw new ConfigurationError(fault.message)
}

/** Checks one argument. @throws ConfigurationError naming it */
export function checkOption(name: string, rule: OptionRule, value: unknown): void {
  const message = describeFault(name, rule, value)
  if (message !== undefined) throw new ConfigurationError(message)
}

/** A client with the resources of the tools. */
export const toolClient: OptionRule = clientWith('speech', 'transcriptions', 'dialogue', 'tasks')
