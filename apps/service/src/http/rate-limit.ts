import { hash } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import { keyOf } from './authenticate.ts'

/** Most keys counted at the same time. Beyond that, the count of the key idle longest restarts. */
const MOST_KEYS = 10_000

/**
 * Limits the requests of a key in a minute, counted from its first request. Every answer says how many are left. A
 * request over the limit gets 429 with `Retry-After`. Register it behind {@link authenticate}: only known keys are
 * counted.
 */
export async function limitRate(app: FastifyInstance, requestsPerMinute: number): Promise<void> {
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: 60_000,
    cache: MOST_KEYS,
    // Distinguishes keys without storing them.
    keyGenerator: (request) => hash('sha256', keyOf(request) ?? '', 'base64url'),
    errorResponseBuilder: (_request, { ttl }) => {
      const message = `This key allows ${requestsPerMinute} requests in a minute`
      return new ServiceError(429, 'rate_limited', message, { retryAfterSeconds: Math.ceil(ttl / 1000) })
    },
  })
}
