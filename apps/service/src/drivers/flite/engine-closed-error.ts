/** The engine was closed before the speech was made. Its message is meant for the operator. */
export class EngineClosedError extends Error {
  override readonly name = 'EngineClosedError' as const

  constructor() {
    super('The speech engine is closed')
  }
}
