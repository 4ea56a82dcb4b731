import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import type { ServiceMetrics } from '../http/service-metrics.ts'

/**
 * `GET /metrics` in the text format of Prometheus. It names no tenant and no key.
 * @param token Bearer token of the route. @default none, the route is open
 */
export function metricsRoutes(app: FastifyInstance, metrics: ServiceMetrics, token: string | undefined): void {
  app.get('/metrics', async (request, reply) => {
    if (token !== undefined && !isSame(request.headers.authorization ?? '', `Bearer ${token}`)) {
      throw new ServiceError(401, 'invalid_metrics_token', 'Send the metrics token as Authorization: Bearer <token>')
    }
    return reply
      .type(metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.render())
  })
}

/** Compares in a time that does not depend on the first difference. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash(one), hash(other))
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
