import type { FastifyInstance } from 'fastify'
import type { Readiness } from '../http/readiness.ts'
import type { Services } from '../services.ts'
import type { Switches } from '../use-cases/switches.ts'

/** Parts of {@link healthRoutes}. */
export interface HealthParts {
  readonly readiness: Readiness
  readonly switches: Switches
}

/**
 * `GET /healthz`: the process runs. `GET /readyz`: the service can do its work, or 503 with the missing parts. Neither
 * needs a key: probes have none.
 */
export function healthRoutes(
  app: FastifyInstance,
  { keys, engines, stalled, storageHealth, log }: Services,
  { readiness, switches }: HealthParts,
): void {
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    if (readiness.phase !== 'ready') {
      return reply.code(503).header('retry-after', '1').send({ status: readiness.phase })
    }
    try {
      await keys.count()
    } catch (error) {
      log.error({ err: error }, 'the database does not answer')
      return reply.code(503).header('retry-after', '5').send({ status: 'no_database' })
    }
    if (switches.draining) return reply.code(503).header('retry-after', '30').send({ status: 'draining' })
    const storage = await storageHealth.check()
    if (storage !== 'ok')
      return reply
        .code(503)
        .header('retry-after', '5')
        .send({ status: `disk_${storage}` })
    const { stuck } = stalled
    if (stuck.length > 0) return reply.code(503).header('retry-after', '5').send({ status: 'stuck', tasks: stuck })
    const missing = Object.entries(engines).flatMap(([name, { up }]) => (up ? [] : [name]))
    if (missing.length === 0) return { status: 'ready' }
    return reply.code(503).header('retry-after', '5').send({ status: 'no_engine', engines: missing })
  })
}
