import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { ErrorRequestHandler, RequestHandler } from 'express'

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

/**
 * Headers of every response. They allow the page to run its own files only.
 * @param otherAudio Allows audio of other sites over HTTPS: links to the results of a hosted service.
 */
export function securityHeaders(otherAudio: boolean): RequestHandler {
  const policy = [
    "default-src 'self'",
    "img-src 'self' data:",
    // The page plays speech and recordings from memory.
    `media-src 'self' blob:${otherAudio ? ' https:' : ''}`,
    `connect-src 'self' blob:${otherAudio ? ' https:' : ''}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return (_request, response, next) => {
    response.set({
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    next()
  }
}

const LOCAL = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/

/** Whether an origin is the page of this server, by the host of the request. */
export function isOwnPage(origin: string, host: string): boolean {
  return LOCAL.test(host) && origin === `http://${host}`
}

/**
 * Refuses host names of other sites. Any site can point a name of its own to this machine.
 * @throws HttpError 403
 */
export const localHost: RequestHandler = (request, _response, next) => {
  if (!LOCAL.test(request.get('host') ?? '')) {
    throw new HttpError(403, 'foreign_host', 'Open the playground by its local address')
  }
  next()
}

/**
 * Refuses requests of other sites. Any page in the browser can reach a server on this machine. Programs send neither
 * header.
 * @throws HttpError 403
 */
export const sameOrigin: RequestHandler = (request, _response, next) => {
  const origin = request.get('origin')
  const site = request.get('sec-fetch-site') ?? 'none'
  const foreignOrigin = origin !== undefined && !isOwnPage(origin, request.get('host') ?? '')
  if (foreignOrigin || (site !== 'same-origin' && site !== 'none')) {
    throw new HttpError(403, 'foreign_origin', 'Only the playground page may use this API')
  }
  next()
}

/** A server on this machine. */
export interface Listening {
  readonly server: Server
  readonly url: string
  close(): Promise<void>
}

/** A free port of this machine, for servers that need their own address before they listen. */
export async function freePort(): Promise<number> {
  const server = await serve(() => {})
  await server.close()
  return Number(new URL(server.url).port)
}

/** Serves an app on this machine. @param port 0 selects a free port. @throws the error of the system, e.g. `EADDRINUSE` */
export async function serve(app: RequestListener, port = 0): Promise<Listening> {
  const server = createServer(app).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The app is not listening on a port')
  return {
    server,
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
