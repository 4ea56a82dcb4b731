import type { FastifyInstance } from 'fastify'
import { readOrigins } from '../domain/origins.ts'

/** Headers of responses that a page may read. */
const READABLE = [
  'retry-after',
  'x-bit-depth',
  'x-channels',
  'x-ignored-parameters',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-recording-ended-early',
  'x-request-id',
  'x-sample-rate',
  'x-should-retry',
].join(', ')

/** Names of headers, as a preflight request lists them. */
const HEADER_NAMES = /^[\w-]+(?:\s*,\s*[\w-]+){0,100}$/

/** Time that a browser may remember a preflight response, in seconds. */
const MAX_AGE_SECONDS = 600

/** Whether pages of an origin may call the service. */
export interface AllowedOrigins {
  has(origin: string): boolean
}

/**
 * Lets pages of these origins call every later route of this scope (CORS). It answers their preflight requests, before
 * any key. Pages of other origins get no header, and their browser refuses them.
 * @throws RangeError naming the entry that is not an origin
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): AllowedOrigins {
  const allowed: AllowedOrigins = new Set(readOrigins(origins))
  if (origins.length === 0) return allowed
  app.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': method } = request.headers
    reply.header('vary', 'Origin')
    if (origin === undefined || !allowed.has(origin)) return done()
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', READABLE)
    if (request.method !== 'OPTIONS' || method === undefined) return done()
    const headers = request.headers['access-control-request-headers'] ?? ''
    if (HEADER_NAMES.test(headers)) reply.header('access-control-allow-headers', headers)
    if (request.headers['access-control-request-private-network'] === 'true') {
      reply.header('access-control-allow-private-network', 'true')
    }
    void reply
      .header('access-control-allow-methods', 'GET, POST, DELETE')
      .header('access-control-max-age', MAX_AGE_SECONDS)
      .header('x-request-id', request.id)
      .code(204)
      .send()
  })
  return allowed
}
