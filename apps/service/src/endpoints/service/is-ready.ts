import { z } from 'zod'
import { defineEndpoint, type EndpointParts, json, named } from '../../http/endpoint.ts'

/** The state of the service. */
export const HealthResponse = named(
  'Health',
  z.object({
    status: z.string(),
    engines: z.array(z.string()).optional().describe('Engines that do not work'),
    tasks: z.array(z.string()).optional().describe('Kinds of tasks that are stuck'),
    lost: z.array(z.string()).optional().describe('Folders that had lost their objects at the start'),
  }),
)

/** A part that is missing, and when to ask again. */
interface Missing {
  readonly status: string
  readonly tasks?: unknown
  readonly engines?: readonly string[]
  readonly retryAfterSeconds: number
}

const ReadyQuery = z.object({
  shared: z.enum(['true', 'false']).optional().describe('Whether the database counts, which all processes share'),
})

/** `GET /readyz`: the service can do its work, or 503 with the missing part. Probes have no key. */
export const IS_READY = defineEndpoint({
  method: 'GET',
  path: '/readyz',
  operationId: 'isReady',
  tag: 'service',
  summary: 'Whether the service accepts requests',
  description:
    'For a proxy in front of several machines. `status` names what is missing: the database, space on the disk, an engine. `draining` is a drain. With `shared=false` it does not ask the database, which all processes share: a pause of it then takes no process out of the proxy, and requests get 503 with Retry-After.',
  rules: { page: 'apps/service/docs/operations.md' },
  access: 'open',
  content: json(HealthResponse),
  others: {
    503: { description: 'The service or an engine does not accept requests', content: json(HealthResponse) },
  },
  query: ReadyQuery,
  handle: (parts) => async (request, reply) => {
    const missing = await findMissing(parts, request.query.shared !== 'false')
    if (missing === undefined) {
      const down = parts.services.engines.named
        .filter(({ state }) => !state.up)
        .map(({ name, port }) => `${name} ${port}`)
      const { lost } = parts.services.objects
      const degraded = { ...(down.length === 0 ? {} : { engines: down }), ...(lost.length === 0 ? {} : { lost }) }
      return { status: 'ready', ...degraded }
    }
    const { retryAfterSeconds, ...body } = missing
    return reply.code(503).header('retry-after', String(retryAfterSeconds)).send(body)
  },
})

async function findMissing(
  { services, readiness, switches, servesHttp }: EndpointParts,
  asksDatabase: boolean,
): Promise<Missing | undefined> {
  const { keys, time: storeTime } = services.stores
  const { states: engines } = services.engines
  const { stalled, outage, clock, clockOffset, log } = services.runtime
  const { health: storageHealth } = services.objects
  if (readiness.phase !== 'ready') return { status: readiness.phase, retryAfterSeconds: 1 }
  try {
    if (asksDatabase) {
      await keys.count()
      clockOffset.note(clock.now(), await storeTime())
    }
  } catch (error) {
    log.error({ err: error }, 'the database does not answer')
    return { status: 'no_database', retryAfterSeconds: 5 }
  }
  if (switches.draining) return { status: 'draining', retryAfterSeconds: 30 }
  const storage = await storageHealth.check()
  if (storage !== 'ok') return { status: `disk_${storage}`, retryAfterSeconds: 5 }
  // Requests that need no stored audio work during an outage. Tasks do not.
  if (!servesHttp && outage.lasts(clock.now())) return { status: 'no_storage', retryAfterSeconds: 5 }
  if (clockOffset.isOff) return { status: 'clock_off', retryAfterSeconds: 5 }
  const { stuck } = stalled
  if (stuck.length > 0) return { status: 'stuck', tasks: stuck, retryAfterSeconds: 5 }
  const down = Object.entries(engines).flatMap(([name, { up }]) => (up ? [] : [name]))
  return down.length === 0 ? undefined : { status: 'no_engine', engines: down, retryAfterSeconds: 5 }
}
