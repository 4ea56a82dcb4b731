/** The engines of the service, by the names that logs, metrics and `/readyz` give them. */
export type EngineName = 'speech' | 'recognition' | 'diarization'

/** Whether an engine can be asked for work. */
export interface EngineState {
  readonly up: boolean
  /** While it is not: when a retry makes sense. At least 1. */
  readonly retryAfterSeconds: number
}

/**
 * An engine failed at a piece of work through no fault of the caller's: it crashed, could not be started or is broken.
 * Its message is meant for the operator.
 */
export class EngineFailedError extends Error {
  override readonly name: string = 'EngineFailedError'
}

/** An engine gave no sign of life for so long that its thread was ended. */
export class EngineStuckError extends EngineFailedError {
  override readonly name = 'EngineStuckError' as const
}

/** There is no such engine at the moment, and nothing was begun. */
export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError' as const
  readonly engine: EngineName
  /** When a retry makes sense. */
  readonly retryAfterSeconds: number

  constructor(engine: EngineName, retryAfterSeconds: number) {
    super(`The ${engine} engine does not work at the moment`)
    this.engine = engine
    this.retryAfterSeconds = retryAfterSeconds
  }
}
