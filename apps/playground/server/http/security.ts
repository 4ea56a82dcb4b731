import type { RequestHandler } from 'express'
import { HttpError } from './http-error.ts'

const POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  // The page plays speech and recordings from memory.
  "media-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every answer. They allow the page to run its own files only. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  next()
}

const LOCAL = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/

/**
 * Refuses requests of other sites. Any page in the browser can reach a server on this machine, and can point its own
 * host name to this machine.
 * @throws HttpError 403
 */
export const sameOrigin: RequestHandler = (request, _response, next) => {
  const site = request.get('sec-fetch-site')
  const foreign = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (foreign || !LOCAL.test(request.get('host') ?? '')) {
    throw new HttpError(403, 'foreign_origin', 'Only the playground page may use this API')
  }
  next()
}
