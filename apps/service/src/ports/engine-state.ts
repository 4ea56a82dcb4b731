/** Names of the engines, as in logs, metrics and `/readyz`. */
export type EngineName = 'speech' | 'recognition' | 'diarization'

/** Whether an engine is available. */
export interface EngineState {
  readonly up: boolean
  /** Seconds until a retry makes sense while the engine is unavailable. At least 1. */
  readonly retryAfterSeconds: number
}

/** The state of one of several engines. */
export interface NamedEngineState {
  /** Name of the entry in the file of engines, or `bundled`. */
  readonly name: string
  readonly port: EngineName
  readonly state: EngineState
  readonly work: EngineWork
}

/** What an engine has done in this process. */
export interface EngineWork {
  /** Seconds of speech made, or of recordings heard to their end. */
  readonly seconds: number
  /** Pieces of work that failed because of the engine. */
  readonly failures: number
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
