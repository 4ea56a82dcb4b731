/** Names of the engines, as in logs, metrics and `/readyz`. */
export type EngineName = 'speech' | 'recognition' | 'diarization'

/** Whether an engine is available. */
export interface EngineState {
  readonly up: boolean
  /** Seconds until a retry makes sense while the engine is unavailable. At least 1. */
  readonly retryAfterSeconds: number
}

/**
 * An engine or its thread crashed, could not start or is broken, which ends one piece of work; others are not affected.
 * The caller's request is not the cause. The message is for the operator and never contains spoken or recognized text.
 */
export class EngineFailedError extends Error {
  override readonly name: string = 'EngineFailedError'
}

/** The watchdog ended the thread of an engine that did not respond. */
export class EngineStuckError extends EngineFailedError {
  override readonly name = 'EngineStuckError' as const
}

/** The engine was closed before the end of the work. The message is for the operator. */
export class EngineClosedError extends Error {
  override readonly name = 'EngineClosedError' as const

  /** @param label Name of the engine, for example `The diarizer`. */
  constructor(label: string) {
    super(`${label} is closed`)
  }
}

/** The engine is unavailable, and no work was started. */
export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError' as const
  readonly engine: EngineName
  /** Seconds until a retry makes sense. */
  readonly retryAfterSeconds: number

  constructor(engine: EngineName, retryAfterSeconds: number) {
    super(`The ${engine} engine does not work at the moment`)
    this.engine = engine
    this.retryAfterSeconds = retryAfterSeconds
  }
}
