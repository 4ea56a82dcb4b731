import type { ServiceOptions } from '../service-options.ts'

/** The result of a check. */
export interface Finding {
  /** `warn`: the service runs, but something is missing. */
  readonly level: 'ok' | 'warn' | 'fail'
  /** A few words, with the remedy when something is wrong. */
  readonly text: string
  /** What was checked. @default the name of the check */
  readonly name?: string
}

/** Checks one thing that the service needs. A thrown error is a failure. */
export interface Check {
  readonly name: string
  /** Returns a list when it checks several things of a kind. */
  readonly run: (options: ServiceOptions) => Promise<Finding | readonly Finding[]>
}
