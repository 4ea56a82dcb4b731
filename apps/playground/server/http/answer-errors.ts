import type { ErrorRequestHandler } from 'express'
import { HttpError } from './http-error.ts'

/**
 * The last error handler: JSON `{ "error": { "code", "message" } }`, as `audioErrors()` answers for the adapters. What
 * is nobody's expected failure is logged whole and answered without its words.
 *
 * @param secret Is taken out of whatever is logged or answered.
 */
export function answerErrors(secret: string): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (error: unknown, _request, response, _next) => {
    const { status, code, message } = answerTo(error)
    if (status === 500 && !(error instanceof HttpError)) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
      process.stderr.write(`${text.replaceAll(secret, '[key]')}\n`)
    }
    if (response.headersSent) response.destroy()
    else response.status(status).json({ error: { code, message: message.replaceAll(secret, '[key]') } })
  }
}

function answerTo(error: unknown): { readonly status: number; readonly code: string; readonly message: string } {
  if (error instanceof HttpError) return error
  // What express.json() throws: its messages are made to be shown where it says so.
  if (error instanceof Error && 'status' in error && 'expose' in error && error.expose === true) {
    return { status: Number(error.status), code: 'bad_request', message: error.message }
  }
  return { status: 500, code: 'internal_error', message: 'The playground made a mistake; its terminal says more' }
}
