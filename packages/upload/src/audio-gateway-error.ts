import { type GatewayResponse, gatewayResponse } from '@svc-audio/core/adapter'

const MARKER = Symbol.for('svc-audio.gateway-error')

/**
 * A failed call to the audio service, in a form that any error handler may show: `status`, `code`, `message` and
 * `headers` are for the caller and contain nothing of the service's own response. `cause` is the original error. It is
 * for logs: it contains the service's text, and never the key.
 *
 * Without it, a framework that reads `error.status` would answer the service's 401 as its own.
 */
export class AudioGatewayError extends Error {
  /** The class name: programs compare it. `isInstance` also knows errors of a second copy of the package. */
  override readonly name = 'AudioGatewayError' as const
  /** HTTP status of the response, as `gatewayResponse` of `@svc-audio/core/adapter` maps it. */
  readonly status: number
  /** For programs, in snake case, e.g. `audio_service_unavailable`. */
  readonly code: string
  /** Whether a caller may see the message: always, except for a misconfigured server (500). */
  readonly expose: boolean
  /** Seconds for a `Retry-After` header, if the service named them. */
  readonly retryAfterSeconds: number | undefined
  /** Headers of the response, by lower-case name: `retry-after` or none. Express sends them by itself. */
  readonly headers: Readonly<Record<string, string>>

  /** @param cause The original error, if there is one. */
  constructor({ status, code, message, retryAfterSeconds }: GatewayResponse, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    this.expose = status !== 500
    this.retryAfterSeconds = retryAfterSeconds
    this.headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
    Object.defineProperty(this, MARKER, { value: true })
  }

  /** Whether a value is such an error, also one from a second copy of this package. */
  static isInstance(value: unknown): value is AudioGatewayError {
    return typeof value === 'object' && value !== null && MARKER in value
  }
}

/**
 * Makes an error safe for a framework: an error of the client becomes an {@link AudioGatewayError}. Any other value is
 * returned unchanged: `UploadError` and `ClientDisconnectedError` are safe, and other errors come from elsewhere.
 */
export function toGatewayError(error: unknown): unknown {
  const response = gatewayResponse(error)
  return response === undefined ? error : new AudioGatewayError(response, error)
}
