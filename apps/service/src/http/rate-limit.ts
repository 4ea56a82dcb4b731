import { hash } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import { keyOf } from './authenticate.ts'

/** Keys whose requests are counted at the same time; beyond, the one that was quiet longest starts again. */
const MOST_KEYS = 10_000

/**
 * Limits how many requests a key may make in a minute, from its first one on. Every answer says how many are left; what
 * is over the limit is 429 with `Retry-After`. Goes behind {@link authenticate}: only known keys are counted.
 */
export async function limitRate(app: FastifyInstance, requestsPerMinute: number): Promise<void> {
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: 60_000,
    cache: MOST_KEYS,
    // Tells keys apart without keeping one.
    keyGenerator: (request) => hash('sha256', keyOf(request) ?? '', 'base64url'),
    errorResponseBuilder: (_request, { ttl }) => {
      const message = `This key may make ${requestsPerMinute} requests in a minute`
      return new ServiceError(429, 'rate_limited', message, { retryAfterSeconds: Math.ceil(ttl / 1000) })
    },
  })
}
