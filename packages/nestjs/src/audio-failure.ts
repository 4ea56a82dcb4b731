import { SvcAudioError } from '@svc-audio/core'
import { AudioGatewayError, ClientDisconnectedError, UploadError } from '@svc-audio/upload'
import { responseOf } from './audio-exception.ts'

/**
 * The errors that `AudioExceptionFilter` catches: those of the client and of uploads, disconnects, and the exceptions
 * that the interceptors throw for them. It recognizes errors of a second copy of these packages too.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest's @Catch() takes classes and uses instanceof
export abstract class AudioFailure {
  static [Symbol.hasInstance](value: unknown): boolean {
    const ofUpload = [AudioGatewayError, ClientDisconnectedError, UploadError]
    return (
      SvcAudioError.isInstance(value) ||
      ofUpload.some((one) => one.isInstance(value)) ||
      responseOf(value) !== undefined
    )
  }
}
