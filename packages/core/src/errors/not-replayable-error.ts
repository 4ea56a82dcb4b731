import { SvcAudioError } from './svc-audio-error.ts'

/**
 * A retry is due, but the body of the request can be read only once. `cause` is the error of the first try.
 * Give the data as a path, a `Blob`, bytes or a function that opens a new stream each time.
 */
export class NotReplayableError extends SvcAudioError {
  override readonly name = 'NotReplayableError' as const
}
