/** The thread of the diarizer failed at one recording; others are not touched by that. Its message is meant for the operator. */
export class DiarizationFailedError extends Error {
  override readonly name = 'DiarizationFailedError' as const
}
