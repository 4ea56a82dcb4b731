import { gatewayAnswer, type GatewayAnswer } from '@svc-audio/core'
import { ClientGoneError } from './client-gone-error.ts'
import { UploadError } from './upload-error.ts'

/**
 * What a server answers for a failure of an upload or of a call to the service, in words that anybody may see: refused
 * uploads with their status, failed calls as `gatewayAnswer` of `@svc-audio/core` says. Status 499 stands for a client
 * that has left: there is nobody to answer.
 *
 * @returns `undefined` for an error of somebody else
 */
export function failureAnswer(error: unknown): GatewayAnswer | undefined {
  if (ClientGoneError.isInstance(error)) return error
  if (!UploadError.isInstance(error)) return gatewayAnswer(error)
  const { status, code, message, expose } = error
  return { status, code, message: expose ? message : 'The server made a mistake' }
}
