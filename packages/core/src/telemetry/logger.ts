/** Where the client tells what it does: `console`, or anything with such a `debug`. Neither key nor text is ever told. */
export interface Logger {
  debug(message: string, fields: LogFields): void
}

/** What is told about one step of a call. */
export interface LogFields {
  /** E.g. `speech.create`. */
  readonly operation: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Retries so far. */
  readonly retries: number
  /** HTTP status, once there is an answer. */
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  /** Since the call began. */
  readonly milliseconds?: number
  /** Until the next try, in milliseconds. */
  readonly delay?: number
  /** Name of the error, with its code where it has one; never its message, which may repeat what was sent. */
  readonly error?: string
}
