import { SvcAudioError } from './svc-audio-error.ts'

/** The answer is not what the interface documents, e.g. JSON that does not parse or a speech format that is not PCM. */
export class ProtocolError extends SvcAudioError {
  override readonly name = 'ProtocolError' as const
}
