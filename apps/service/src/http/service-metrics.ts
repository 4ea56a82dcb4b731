import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Services } from '../services.ts'
import type { Readiness } from './readiness.ts'

/** What the service tells of itself. */
export interface ServiceMetrics {
  readonly contentType: string
  render(): Promise<string>
  /** Counts the requests of this scope. */
  observe(app: FastifyInstance): void
}

/** From a health check to a long transcription, in seconds. */
const DURATION_BUCKETS = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 10, 30, 120, 600]

/** Sets up the metrics; what is stored is counted again each time that they are read. */
export function createServiceMetrics(services: Services, readiness: Readiness): ServiceMetrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'svc_audio_http_requests_total',
    help: 'Requests that were answered, by route and status',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'svc_audio_http_request_duration_seconds',
    help: 'Time to the end of the answer, by route',
    labelNames: ['method', 'route'],
    buckets: DURATION_BUCKETS,
    registers,
  })
  const answered: Answered[] = []
  const count = (): void => {
    for (const { method, route, status, seconds } of answered) {
      requests.inc({ method, route, status })
      durations.observe({ method, route }, seconds)
    }
    answered.length = 0
  }
  const collect = gauges(services, readiness, registry)
  return {
    contentType: registry.contentType,
    async render() {
      count()
      await collect()
      return registry.metrics()
    },
    observe(app) {
      app.addHook('onResponse', (request, reply, done) => {
        const { method, routeOptions } = request
        // A path that nobody serves is the caller's own words: not a label.
        const route = routeOptions.url ?? 'none'
        answered.push({ method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1000 })
        if (answered.length === MOST_UNCOUNTED) count()
        done()
      })
    },
  }
}

/** A request that was answered and is not counted yet. */
interface Answered {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

/** Counting is cheap for many at a time, and a tenth of a small answer's cost for one. */
const MOST_UNCOUNTED = 1000

/** @returns How to set them all to what is so now. */
function gauges(services: Services, readiness: Readiness, registry: Registry): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new Gauge({ name: `svc_audio_${name}`, help, labelNames: [...labelNames], registers: [registry] })
  const ready = gauge('ready', '1 while requests are taken')
  const tasks = gauge('tasks', 'Tasks that are kept, by state', ['status'])
  const queued = gauge('tasks_queued', 'Tasks that nobody works on yet')
  const oldest = gauge('oldest_queued_task_age_seconds', 'How long the oldest of them has waited')
  const webhooks = gauge('webhooks', 'Webhooks in the outbox, by state', ['status'])
  const stored = gauge('stored_bytes', 'What tenants keep, by area', ['area'])
  const free = gauge('storage_free_bytes', 'Room on the disk')
  const reserve = gauge('storage_reserve_whole', '1 while the disk space that is held for deletes is whole')
  const up = gauge('engine_up', '1 while an engine works, 0 while it is tried again', ['engine'])
  const threads = gauge('engine_threads', 'Threads of an engine', ['engine'])
  const busy = gauge('engine_busy_threads', 'Threads of an engine that work', ['engine'])
  const waiting = gauge('engine_waiting', 'Work that waits for a thread of an engine', ['engine'])
  const memory = gauge('resident_memory_bytes', 'Memory of the process')
  return async () => {
    const counts = await services.storeMetrics.read()
    ready.set(readiness.phase === 'ready' ? 1 : 0)
    each(tasks, 'status', counts.tasks)
    queued.set(counts.queued)
    oldest.set(counts.oldestQueuedAt === undefined ? 0 : (services.clock.now() - counts.oldestQueuedAt) / 1000)
    each(webhooks, 'status', counts.webhooks)
    each(stored, 'area', counts.storedBytes)
    free.set(await services.freeBytes())
    reserve.set(services.reserve.whole ? 1 : 0)
    for (const [engine, state] of Object.entries(services.engines)) up.set({ engine }, state.up ? 1 : 0)
    for (const [engine, semaphore] of Object.entries(services.semaphores)) {
      threads.set({ engine }, semaphore.size)
      busy.set({ engine }, semaphore.busy)
      waiting.set({ engine }, semaphore.waiting)
    }
    memory.set(process.memoryUsage.rss())
  }
}

function each(gauge: Gauge, label: string, amounts: Readonly<Record<string, number>>): void {
  for (const [name, amount] of Object.entries(amounts)) gauge.set({ [label]: name }, amount)
}
