import { SvcAudioError } from './svc-audio-error.ts'

/** No complete answer arrived: the connection failed. `cause` is the transport's own error. */
export class ConnectionError extends SvcAudioError {
  override readonly name = 'ConnectionError' as const
}
