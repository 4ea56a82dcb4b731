/** The engine was closed before the diarization was done. Its message is meant for the operator. */
export class DiarizerClosedError extends Error {
  override readonly name = 'DiarizerClosedError' as const

  constructor() {
    super('The diarizer is closed')
  }
}
