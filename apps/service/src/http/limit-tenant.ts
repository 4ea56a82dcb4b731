import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import { whenAnswerEnds } from './answer-end.ts'

/** The first of a tenant's requests usually ends soon. */
const RETRY_AFTER_SECONDS = 1

/**
 * Limits the requests of a tenant in flight: from the check of the key to the last byte of the answer. A request over
 * the limit gets 429 `too_many_requests`. Register it behind `authenticate`.
 */
export function limitTenant(app: FastifyInstance, most: number): void {
  const inFlight = new Map<string, number>()
  app.addHook('onRequest', (request, reply, done) => {
    const { tenant } = request
    const count = (inFlight.get(tenant) ?? 0) + 1
    if (count > most) {
      const message = `This account has ${most} requests in flight, its limit: retry when one has ended`
      return done(new ServiceError(429, 'too_many_requests', message, { retryAfterSeconds: RETRY_AFTER_SECONDS }))
    }
    inFlight.set(tenant, count)
    whenAnswerEnds(reply, () => {
      const left = (inFlight.get(tenant) ?? 1) - 1
      if (left === 0) inFlight.delete(tenant)
      else inFlight.set(tenant, left)
    })
    done()
  })
}
