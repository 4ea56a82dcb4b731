import { SvcAudioError } from '@svc-audio/core'
import { AudioGatewayError, ClientDisconnectedError, UploadError } from '@svc-audio/upload'

/**
 * What `AudioExceptionFilter` catches: the errors of the client, of an upload, and of a client that has left; also
 * those of a second copy of these packages, which `instanceof` their classes would miss.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest's @Catch() takes classes and asks by instanceof
export abstract class AudioFailure {
  static [Symbol.hasInstance](value: unknown): boolean {
    return [AudioGatewayError, ClientDisconnectedError, SvcAudioError, UploadError].some((one) => one.isInstance(value))
  }
}
