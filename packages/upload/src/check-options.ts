import { ConfigurationError } from '@svc-audio/core'
import { findOptionFault, type OptionRules } from '@svc-audio/options'

export type { OptionRule, OptionRules } from '@svc-audio/options'

/**
 * Checks options when a server starts, before its first request.
 *
 * @param caller The function with these options, e.g. `transcribeUpload`. It starts the message.
 * @throws ConfigurationError naming the option, its requirement and its value
 */
export function checkOptions(caller: string, options: unknown, rules: OptionRules): void {
  if (isRequest(options)) {
    throw new ConfigurationError(`${caller} makes a handler: call it with its options, \`${caller}({ … })\``)
  }
  const found = findOptionFault(options, rules, `${caller}()`)
  if (found !== undefined) throw new ConfigurationError(found.message)
}

/** Whether a framework has called the function as a handler: `app.post('/', transcribeUpload)`. */
function isRequest(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'headers' in options && 'method' in options
}
