import { InvalidArgumentError, type JSONObject } from '@ai-sdk/provider'
import { findOptionFault, type OptionRules } from '@svc-audio/options'
import { PROVIDER } from './request.ts'

/** `providerOptions` of a call. */
export type AllProviderOptions = Readonly<Record<string, JSONObject>> | undefined

/**
 * The options of this provider, checked.
 * @throws InvalidArgumentError naming the option
 */
export function readProviderOptions<Options extends JSONObject>(
  all: AllProviderOptions,
  rules: { readonly [Option in keyof Required<Options>]: OptionRules[string] },
): Options {
  const options = all?.[PROVIDER] ?? {}
  const argument = `providerOptions.${PROVIDER}`
  const fault = findOptionFault(options, rules, argument)
  if (fault !== undefined) {
    const path = fault.option === undefined ? argument : `${argument}.${fault.option}`
    throw new InvalidArgumentError({ argument: path, message: fault.message })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rules have checked every field
  return options as Options
}
