/**
 * An engine or its thread crashed, could not start or is broken, which ends one piece of work; others are not affected.
 * The caller's request is not the cause. The message is for the operator and never contains spoken or recognized text.
 */
export class EngineFailedError extends Error {
  /** The class name: programs compare it. */
  override readonly name: string = 'EngineFailedError'
}

/** The watchdog ended the thread of an engine that did not respond. */
export class EngineStuckError extends EngineFailedError {
  /** The class name: programs compare it. */
  override readonly name = 'EngineStuckError' as const
}

/**
 * The engine has refused the work before it began: it is unreachable, overloaded or still loading, or its key or credit
 * is not valid. The caller's request is not the cause, and the same work may succeed later. The service gives the engine
 * no work until then. The message is for the operator.
 */
export class EngineNotReadyError extends EngineFailedError {
  /** The class name: programs compare it. */
  override readonly name = 'EngineNotReadyError' as const
  /** Seconds until the engine may work. @default the service chooses */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, options: { readonly retryAfterSeconds?: number | undefined; readonly cause?: unknown }) {
    super(message, { cause: options.cause })
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** The engine was closed before the end of the work. The message is for the operator. */
export class EngineClosedError extends Error {
  /** The class name: programs compare it. */
  override readonly name = 'EngineClosedError' as const

  /** @param label Name of the engine, for example `The diarizer`. */
  constructor(label: string) {
    super(`${label} is closed`)
  }
}
