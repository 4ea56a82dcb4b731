import type { Callback } from '@svc-audio/core/webhooks'
import type { FailureLogger } from './failure.ts'
import { callback, optional, perRequest } from './option-rules.ts'
import { checkOptions, type OptionRule, type OptionRules, type PerRequest } from './options.ts'

/** Options that only `respond: 'task'` uses. */
export interface TaskOptions<Context, Task> {
  /**
   * Address that the service calls when the task ends. For a callback of a webhook receiver, pass what `createCallback()`
   * returns: it is bound to the task, and calls that come before `onTask` has ended are refused, so that the service calls
   * again. Create the job of your app here, and pass its id as `state`: the handler of the webhook then finds the job, also
   * if the process ends before the response. @default none
   */
  readonly webhook_url?: PerRequest<string | Callback | undefined, Context>
  /**
   * Gets the task before the response is sent, e.g. to store its id. If it throws, the request fails, and the log has the id
   * of the task, which continues. @default nothing
   */
  readonly onTask?: (task: Task, context: Context) => void | Promise<void>
}

const isAddress = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && /^https?:/i.test(value)

const isCallback = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  isAddress(Reflect.get(value, 'url')) &&
  ['bind', 'hold'].every((name) => typeof Reflect.get(value, name) === 'function')

const webhook: OptionRule = (value) =>
  isAddress(value) || isCallback(value)
    ? undefined
    : 'must be a URL that begins with https:// or http://, or the result of createCallback()'

/** The rules of the options of a task. */
export const TASK_RULES: OptionRules = {
  webhook_url: optional(perRequest(webhook)),
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

/** How a task is started. */
export interface TaskStart<Outcome, Answer> {
  /** Where the service calls when the task ends. */
  readonly webhook: string | Callback | undefined
  /** Starts the task, with the address for the service. */
  readonly create: (url: string | undefined) => Promise<Outcome>
  /** The id of the started task. */
  readonly idOf: (outcome: Outcome) => string
  /** Runs the code of the application that may store the id. */
  readonly store: (outcome: Outcome) => Promise<Answer>
  /** Gets the id of a task if `store` fails. `false` logs nothing. @default console */
  readonly logger: FailureLogger | false | undefined
}

/**
 * Starts a task. Until `store` has ended, the callbacks of the task are refused, so that the service calls again.
 *
 * @returns the result of `store`
 * @throws what `create` and `store` throw
 */
export async function startTask<Outcome, Answer>(start: TaskStart<Outcome, Answer>): Promise<Answer> {
  const { webhook: given, create, idOf, store, logger = console } = start
  const address = typeof given === 'object' ? given : undefined
  const release = address?.hold()
  try {
    const outcome = await create(typeof given === 'object' ? given.url : given)
    const id = idOf(outcome)
    address?.bind(id)
    try {
      return await store(outcome)
    } catch (error) {
      if (logger !== false) logger.error(`The request failed after the task ${id} was created. The task continues`)
      throw error
    }
  } finally {
    release?.()
  }
}
