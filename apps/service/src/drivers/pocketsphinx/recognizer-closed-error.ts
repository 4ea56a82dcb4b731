/** The engine was closed before the recognition was done. Its message is meant for the operator. */
export class RecognizerClosedError extends Error {
  override readonly name = 'RecognizerClosedError' as const

  constructor() {
    super('The speech recognizer is closed')
  }
}
