import { hash } from 'node:crypto'
import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import type { RequestCounter } from '../ports/request-counter.ts'
import { keyOf } from './authenticate.ts'

/** Maximum keys counted at the same time. Beyond that, the count of the key idle longest restarts. */
const MOST_KEYS = 10_000

/**
 * Limits the requests of a key in a minute, counted from its first request. Every response says how many are left. A
 * request over the limit gets 429 with `Retry-After`. Register it behind {@link authenticate}: only known keys are
 * counted.
 * @param counter Counts the requests of all processes of a cluster. @default those of this process
 */
export async function limitRate(
  app: FastifyInstance,
  requestsPerMinute: number,
  counter?: RequestCounter,
): Promise<void> {
  await app.register(rateLimit, {
    ...(counter === undefined ? {} : { store: storeOver(counter) }),
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

/** What the limiter calls with a count. */
type Done = (error: Error | null, result?: { current: number; ttl: number }) => void

/** The counter as the class that the limiter makes for itself. A failing count fails the request. */
function storeOver(counter: RequestCounter): FastifyRateLimitStoreCtor {
  const count = async (key: string, done: Done, window: number): Promise<void> => {
    let counted
    try {
      counted = await counter.count(key, window)
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
      return
    }
    done(null, { current: counted.amount, ttl: counted.left })
  }
  return class CounterStore {
    incr(key: string, done: Done, window: number): void {
      void count(key, done, window)
    }

    /** Every route counts together. */
    child(): this {
      return this
    }
  }
}
