import type { RequestHandler } from 'express'
import { HttpError } from '../http.ts'

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
