import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import { whenResponseEnds } from './response-end.ts'

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
