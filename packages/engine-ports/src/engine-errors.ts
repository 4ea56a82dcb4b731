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
