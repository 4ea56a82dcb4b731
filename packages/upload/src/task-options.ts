import { checkOptions, type OptionRule, type OptionRules } from './check-options.ts'
import { callback, optional, perRequest } from './option-rules.ts'

const address: OptionRule = (value) =>
  typeof value === 'string' && URL.canParse(value) && /^https?:/i.test(value)
    ? undefined
    : 'must be a URL that begins with https:// or http://'

/** The rules of the options that only `respond: 'task'` uses. */
export const TASK_RULES: OptionRules = {
  webhook_url: optional(perRequest(address)),
  onTask: optional(callback),
}

/**
 * Refuses options that the handler would ignore.
 *
 * @throws ConfigurationError naming an option that needs `respond: 'task'`
 */
export function assertTaskOptions(caller: string, options: { readonly respond?: string }): void {
  if (options.respond === 'task') return
  for (const name of Object.keys(TASK_RULES)) {
    const value: unknown = Reflect.get(options, name)
    if (value !== undefined) checkOptions(caller, { [name]: value }, { [name]: () => "needs respond: 'task'" })
  }
}
