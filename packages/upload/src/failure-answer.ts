import { gatewayResponse, type GatewayResponse } from '@svc-audio/core/adapter'
import { AudioGatewayError } from './audio-gateway-error.ts'
import { ClientDisconnectedError } from './client-disconnected-error.ts'
import { UPLOAD_ERROR_CODES, UploadError } from './upload-error.ts'

/** Every code of {@link failureAnswer}, except those of an app's own `AudioGatewayError`. */
export const FAILURE_CODES: readonly string[] = [
  ...UPLOAD_ERROR_CODES,
  'client_disconnected',
  // The codes of handlers for speech.
  'audio_not_found',
  'audio_not_ready',
  'invalid_json',
  'missing_text',
  'range_not_satisfiable',
  // The code of Nest's shutdown.
  'shutting_down',
  // The codes of `gatewayResponse`.
  'audio_service_timeout',
  'audio_service_unavailable',
  'content_refused',
  'content_too_large',
  'internal_error',
  'rate_limited',
  'undecodable_audio',
]

/**
 * The response of a server to a failed upload or a failed call to the service, safe for any caller. A refused upload has
 * its own status. `gatewayResponse` of `@svc-audio/core/adapter` maps failed calls. Status 499 means that the client has
 * disconnected: send nothing.
 * @returns `undefined` for any other error
 */
export function failureAnswer(error: unknown): GatewayResponse | undefined {
  if (AudioGatewayError.isInstance(error)) {
    const { status, code, message, retryAfterSeconds } = error
    return { status, code, message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
  }
  if (ClientDisconnectedError.isInstance(error)) {
    const { status, code, message } = error
    return { status, code, message }
  }
  if (!UploadError.isInstance(error)) return gatewayResponse(error)
  const { status, code, message, expose } = error
  return { status, code, message: expose ? message : 'The server made a mistake' }
}
