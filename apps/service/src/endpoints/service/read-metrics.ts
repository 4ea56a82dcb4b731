import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { ServiceError } from '../../domain/service-error.ts'
import { defineEndpoint } from '../../http/endpoint.ts'

/** `GET /metrics` in the text format of Prometheus. It names no key, and tenants only with the metrics token. */
export const READ_METRICS = defineEndpoint({
  method: 'GET',
  path: '/metrics',
  operationId: 'readMetrics',
  tag: 'service',
  summary: 'Metrics for Prometheus. With a metrics token set, send it as bearer token',
  description: 'The text format of Prometheus. With the token, requests are counted by tenant too.',
  rules: { page: 'apps/service/docs/operations.md' },
  access: 'open',
  content: { 'text/plain': z.string() },
  errors: [401, 500, 503],
  handle:
    ({ metrics, metricsToken: token }) =>
    async (request, reply) => {
      if (token !== undefined && !isSame(request.headers.authorization ?? '', `Bearer ${token}`)) {
        throw new ServiceError(401, 'invalid_metrics_token', 'Send the metrics token as Authorization: Bearer <token>')
      }
      return reply
        .type(metrics.contentType)
        .header('cache-control', 'no-store')
        .send(await metrics.render())
    },
})

/** Compares in a time that does not depend on the first difference. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash(one), hash(other))
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
