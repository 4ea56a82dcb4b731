import { hash } from 'node:crypto'
import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import type { RequestCounter } from '../ports/processes.ts'
import { keyOf } from './authenticate.ts'
import { whenResponseEnds } from './response-end.ts'

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

/** The first of a tenant's requests usually ends soon. */
const RETRY_AFTER_SECONDS = 1

/**
 * Limits the requests of a tenant in flight: from the check of the key to the last byte of the response. A request over
 * the limit gets 429 `too_many_requests`. Register it behind `authenticate`.
 */
export function limitTenant(app: FastifyInstance, max: number): void {
  const inFlight = new Map<string, { count: number }>()
  app.addHook('onRequest', (request, reply, done) => {
    const { tenant } = request
    let current = inFlight.get(tenant)
    if (current === undefined) {
      current = { count: 0 }
      inFlight.set(tenant, current)
    }
    if (current.count >= max) {
      const message = `This account has ${max} requests in flight, its limit: retry when one has ended`
      return done(new ServiceError(429, 'too_many_requests', message, { retryAfterSeconds: RETRY_AFTER_SECONDS }))
    }
    const counted = current
    counted.count += 1
    whenResponseEnds(reply, () => {
      counted.count -= 1
      if (counted.count === 0) inFlight.delete(tenant)
    })
    done()
  })
}
