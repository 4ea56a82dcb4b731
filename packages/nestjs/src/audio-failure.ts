import { gatewayAnswer, type GatewayAnswer, SvcAudioError } from '@svc-audio/core'
import { ClientGoneError, UploadError } from '@svc-audio/upload'

/**
 * What `AudioExceptionFilter` catches: the errors of the client, of an upload, and of a client that has left; also
 * those of a second copy of these packages, which `instanceof` their classes would miss.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest's @Catch() takes classes and asks by instanceof
export abstract class AudioFailure {
  static [Symbol.hasInstance](value: unknown): boolean {
    return SvcAudioError.isInstance(value) || UploadError.isInstance(value) || ClientGoneError.isInstance(value)
  }
}

/**
 * What to answer for a failure; status 499 stands for a client that has left.
 * @returns `undefined` for an error of somebody else
 */
export function failureAnswer(error: unknown): GatewayAnswer | undefined {
  if (ClientGoneError.isInstance(error)) return error
  if (!UploadError.isInstance(error)) return gatewayAnswer(error)
  const { status, code, message, expose } = error
  return { status, code, message: expose ? message : 'The server made a mistake' }
}
