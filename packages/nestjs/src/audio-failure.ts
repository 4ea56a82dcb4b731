import { SvcAudioError } from '@svc-audio/core'
import { AudioGatewayError, ClientDisconnectedError, UploadError } from '@svc-audio/upload'
import { answerOf } from './audio-exception.ts'

/**
 * What `AudioExceptionFilter` catches: errors of the client and of an upload, a client that has disconnected, and the
 * exceptions that the interceptors make of them. It recognizes those of a second copy of these packages too.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest's @Catch() takes classes and asks by instanceof
export abstract class AudioFailure {
  static [Symbol.hasInstance](value: unknown): boolean {
    const ofUpload = [AudioGatewayError, ClientDisconnectedError, UploadError]
    return (
      SvcAudioError.isInstance(value) || ofUpload.some((one) => one.isInstance(value)) || answerOf(value) !== undefined
    )
  }
}
