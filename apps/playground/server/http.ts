import type { ErrorRequestHandler } from 'express'

/**
 * The last error handler. It answers JSON `{ "error": { "code", "message" } }`, as `audioErrors()` does for the adapters.
 * It logs an unexpected error in full and answers without its message.
 *
 * @param secret Removed from logs and answers.
 */
export function errorHandler(secret: string): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, _request, response, _next) => {
    const { status, code, message } = answerTo(error)
    if (status === 500 && !(error instanceof HttpError)) logError(error, secret)
    if (response.headersSent) response.destroy()
    else response.status(status).json({ error: { code, message: message.replaceAll(secret, '[key]') } })
  }
}

/** Writes an error to the terminal. @param secret Removed from it. */
export function logError(error: unknown, secret: string): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${text.replaceAll(secret, '[key]')}\n`)
}

function answerTo(error: unknown): { readonly status: number; readonly code: string; readonly message: string } {
  if (error instanceof HttpError) return error
  // Errors of express.json(). `expose` marks messages that are safe to show.
  if (error instanceof Error && 'status' in error && 'expose' in error && error.expose === true) {
    return { status: Number(error.status), code: 'bad_request', message: error.message }
  }
  return { status: 500, code: 'internal_error', message: 'The playground failed. Its terminal shows the error.' }
}

/** An error response with a message for the user of the page. */
export class HttpError extends Error {
  override readonly name = 'HttpError' as const
  readonly status: number
  /** For programs, in snake case. */
  readonly code: string

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
  }
}
