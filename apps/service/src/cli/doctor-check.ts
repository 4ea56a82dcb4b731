import type { ServiceOptions } from '../service-options.ts'

/** The result of a check. */
export interface Finding {
  /** `warn`: the service runs, but something is missing. */
  readonly level: 'ok' | 'warn' | 'fail'
  /** A few words, with the remedy when something is wrong. */
  readonly text: string
}

/** Checks one thing that the service needs. A thrown error is a failure. */
export interface Check {
  readonly name: string
  readonly run: (options: ServiceOptions) => Promise<Finding>
}
