import { SvcAudioError } from './svc-audio-error.ts'

/**
 * A request would have been tried again, but its body can be read only once. `cause` is what made the first try fail.
 * Give the data as a path, a `Blob`, bytes or a function that opens a new stream each time.
 */
export class NotReplayableError extends SvcAudioError {
  override readonly name = 'NotReplayableError' as const
}
