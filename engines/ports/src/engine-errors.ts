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

/** Options of {@link EngineNotReadyError}. */
export interface EngineNotReadyOptions extends ErrorOptions {
  /** Seconds until the engine may work. @default the service chooses */
  readonly retryAfterSeconds?: number | undefined
  /** Whether its server cannot be reached. @default false */
  readonly isUnreachable?: boolean
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
  /** Whether its server cannot be reached: other work of the same server fails too. */
  readonly isUnreachable: boolean

  constructor(message: string, { retryAfterSeconds, isUnreachable = false, cause }: EngineNotReadyOptions = {}) {
    super(message, { cause })
    this.retryAfterSeconds = retryAfterSeconds
    this.isUnreachable = isUnreachable
  }
}

/**
 * The engine's server did not complete the work, and may be dead: a gateway answered in its place, its connection broke,
 * or its response did not come in time. The work may have begun. The caller's request is not the cause. The service gives
 * the engine no work until it has passed a probe. The message is for the operator.
 */
export class EngineLostError extends EngineFailedError {
  /** The class name: programs compare it. */
  override readonly name = 'EngineLostError' as const
}

/** Options of {@link EngineRefusedError}. */
export interface EngineRefusedOptions extends ErrorOptions {
  /** Name of the engine, for the caller. */
  readonly engine: string
  /** The HTTP status of its server. @default it has none */
  readonly status?: number | undefined
  /** The field of the request that it refuses. @default unknown */
  readonly param?: 'language' | undefined
}

/** The engine refuses this piece of work as it is, and would refuse it again. The message is for the operator. */
export class EngineRefusedError extends EngineFailedError {
  /** The class name: programs compare it. */
  override readonly name = 'EngineRefusedError' as const
  /** Name of the engine. */
  readonly engine: string
  /** The HTTP status of its server, if it has one. */
  readonly status: number | undefined
  /** The field of the request that it refuses, if it is known. */
  readonly param: 'language' | undefined

  constructor(message: string, { engine, status, param, ...options }: EngineRefusedOptions) {
    super(message, options)
    this.engine = engine
    this.status = status
    this.param = param
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
