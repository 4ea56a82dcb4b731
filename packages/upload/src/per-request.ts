import { ConfigurationError } from '@svc-audio/core'
import { describeFault, type OptionRules } from '@svc-audio/options'

/**
 * An option with a fixed value, or a function of the request, e.g. for a tenant's key or the limits of a plan. The
 * context comes from the framework: a request in Express, an execution context in Nest.
 */
export type PerRequest<Value, Context> = Value | ((context: Context) => Value | Promise<Value>)

/**
 * The value of an option for one request.
 *
 * @param check Checks the result of a function: {@link resultCheck}.
 */
export async function valueFor<Value, Context>(
  option: PerRequest<Value, Context>,
  context: Context,
  check?: (result: unknown) => void,
): Promise<Value> {
  if (!isFunction(option)) return option
  const result = await option(context)
  check?.(result)
  return result
}

/**
 * A check of what a function of the request returns, by the rule of its option.
 * It throws ConfigurationError naming the option.
 */
export function resultCheck(name: string, rules: OptionRules): (result: unknown) => void {
  return (result) => {
    const message = describeFault(name, rules[name], result)
    if (message !== undefined) throw new ConfigurationError(`The result of the function ${message}`)
  }
}

/** The fields that a function of the request has set. It may leave a field `undefined`, such as one of an absent input. */
export function definedFields<Fields extends object>(fields: Fields | undefined): Partial<Fields> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a subset of the entries is a partial object
  return Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined)) as Partial<Fields>
}

/** No option has a value that is a function itself. */
function isFunction<Value, Context>(
  option: PerRequest<Value, Context>,
): option is (context: Context) => Value | Promise<Value> {
  return typeof option === 'function'
}
