import type { OptionRules } from '../check-options.ts'
import type { FailureLogger } from '../failure-log.ts'
import { integer, logger, milliseconds, optional } from '../option-rules.ts'

/** Options of every handler that makes a call while a client waits. */
export interface CallHandlerOptions {
  /** Deadline for the whole call, the audio included, in milliseconds. @default the client's */
  readonly timeout?: number
  /** How often a failed call is retried while the client waits. @default 0 */
  readonly maxRetries?: number
  /** Where failures with status 500 and above are logged, with their cause. `false` logs nothing. @default console */
  readonly logger?: FailureLogger | false
}

/** The rules of {@link CallHandlerOptions}. */
export const CALL_RULES: OptionRules = {
  timeout: optional(milliseconds),
  maxRetries: optional(integer(0, 'retries')),
  logger: optional(logger),
}
