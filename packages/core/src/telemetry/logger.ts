/** Receives log lines: `console`, or any object with such a `debug`. Logs never contain the key or the text. */
export interface Logger {
  /** Writes one line. */
  debug(message: string, fields: LogFields): void
}

/** Fields of one log line. */
export interface LogFields {
  /** E.g. `speech.create`. */
  readonly operation: string
  /** HTTP method. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Retries so far. */
  readonly retries: number
  /** HTTP status, once there is a response. */
  readonly status?: number | undefined
  /** The `x-request-id` of the response. */
  readonly requestId?: string | undefined
  /** Milliseconds since the call began. */
  readonly milliseconds?: number
  /** Milliseconds until the retry. */
  readonly delay?: number
  /** Name of the error, and its code if it has one. Never its message, which may repeat the request. */
  readonly error?: string
}
