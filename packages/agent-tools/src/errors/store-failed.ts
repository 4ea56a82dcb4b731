import { SpeechToolError } from './speech-tool-error.ts'

/** A failure of the application's `AudioStore`. Its text may hold paths or addresses, so the model does not see it. */
export function storeFailed(cause: unknown): SpeechToolError {
  return new SpeechToolError('store_failed', 'Audio cannot be stored or read here at the moment. Tell the user.', {
    cause,
  })
}
