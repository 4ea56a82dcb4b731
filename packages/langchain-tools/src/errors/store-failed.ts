import { SpeechToolError } from './speech-tool-error.ts'

/** A failure of the application's `AudioStore`. What it says may hold paths or addresses, so the model is not told. */
export function storeFailed(cause: unknown): SpeechToolError {
  return new SpeechToolError('store_failed', 'Audio cannot be kept or read here at the moment. Tell the user.', {
    cause,
  })
}
