/**
 * An option with a fixed value, or a function of the request, e.g. for a tenant's key or the limits of a plan. The
 * context comes from the framework: a request in Express, an execution context in Nest.
 */
export type PerRequest<Value, Context> = Value | ((context: Context) => Value | Promise<Value>)

/** The value of an option for one request. */
export async function valueFor<Value, Context>(option: PerRequest<Value, Context>, context: Context): Promise<Value> {
  return isFunction(option) ? option(context) : option
}

/** No option has a value that is a function itself. */
function isFunction<Value, Context>(
  option: PerRequest<Value, Context>,
): option is (context: Context) => Value | Promise<Value> {
  return typeof option === 'function'
}
