import { failureAnswer } from '@svc-audio/upload'
import type { ErrorRequestHandler, Request } from 'express'

/** What {@link AudioErrorsOptions.onError} is told beside the error. */
export interface AudioErrorContext {
  readonly request: Request
  /** The status of the answer; 499 when the client had left and there is none. */
  readonly status: number
  readonly code: string
}

/** Options of {@link audioErrors}. */
export interface AudioErrorsOptions {
  /**
   * Called with every error that is answered here, for logs. The error is the original one and holds the service's own
   * words: it is not meant for callers. It never holds the key. @default nothing is logged
   */
  readonly onError?: (error: unknown, context: AudioErrorContext) => void
}

/**
 * Error middleware for {@link transcribeUpload} and {@link speak}. It answers in its own words, as JSON
 * `{ "error": { "code", "message" } }`: refused uploads with their status, failed calls to the service as `gatewayAnswer`
 * of `@svc-audio/core` says. To a client that has left it writes nothing; where audio is on its way already, it cuts the
 * connection. Errors of anything else go to the next error middleware.
 */
export function audioErrors(options: AudioErrorsOptions = {}): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const answer = failureAnswer(error)
    if (answer === undefined) {
      next(error)
      return
    }
    const { status, code, message, retryAfterSeconds } = answer
    options.onError?.(error, { request, status, code })
    if (status === 499 || response.headersSent) {
      response.destroy()
      return
    }
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds)
    response.status(status).json({ error: { code, message } })
  }
}
