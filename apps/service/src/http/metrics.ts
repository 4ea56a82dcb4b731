import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, onResponseHookHandler } from 'fastify'
import { MOST_EXPIRED_COUNTED } from '../ports/expiry.ts'
import type { ServerMetrics } from '../ports/store-metrics.ts'
import type { Services, Using } from '../services.ts'
import { countExpired, type Lifetimes, readCleanUpAges } from '../use-cases/sweep.ts'
import { type Metric, Metrics } from './prometheus.ts'
import type { Readiness } from './readiness.ts'
import { whenResponseEnds } from './response-end.ts'

/** The metrics of the service. */
export interface ServiceMetrics {
  readonly contentType: string
  render(): Promise<string>
  /** Counts the requests of the later routes of this scope. */
  observe(app: FastifyInstance): void
  /** Counts a request without a route. */
  observeUnknown(reply: FastifyReply): void
}

/** Buckets in seconds, from a health check to a long transcription. */
const DURATION_BUCKETS = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 10, 30, 120, 600]

/** Options of {@link createServiceMetrics}. */
export interface ServiceMetricsOptions {
  /** Whether answers are counted by tenant. @default false */
  readonly showTenants?: boolean
  /** Counts the connections. @default they are not shown */
  readonly connections?: ConnectionCounts | undefined
  /** Lifetimes of stored data. @default expired rows are not counted */
  readonly lifetimes?: Lifetimes | undefined
}

/** Connections of the HTTP server. */
export interface ConnectionCounts {
  readonly open: number
  /** Closed or refused because there were too many. */
  readonly closed: number
}

/** Sets up the metrics. Each read of the metrics counts the stored data again. */
export function createServiceMetrics(
  services: Services,
  readiness: Readiness,
  { showTenants = false, connections, lifetimes }: ServiceMetricsOptions = {},
): ServiceMetrics {
  const metrics = new Metrics('svc_audio_')
  const requests = metrics.counter('http_requests_total', 'Answered requests, by route and status', [
    'method',
    'route',
    'status',
  ])
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'Time to the end of the response, by route',
    DURATION_BUCKETS,
    ['method', 'route'],
  )
  const responsesOfTenants = new TenantResponses(metrics)
  const count = ({ method, route, statuses, seconds }: Answered): void => {
    for (const [status, amount] of statuses) requests.add(amount, { method, route, status })
    durations.observe(seconds, { method, route })
    statuses.clear()
    seconds.length = 0
  }
  const noting = (answered: Answered): onResponseHookHandler => {
    const { statuses, seconds } = answered
    return ({ tenant }, reply, done) => {
      addOne(statuses, reply.statusCode)
      seconds.push(reply.elapsedTime / 1000)
      if (seconds.length === MOST_UNCOUNTED) count(answered)
      if (showTenants && tenant !== '') responsesOfTenants.note(tenant, reply.statusCode)
      done()
    }
  }
  const routes: Answered[] = []
  if (connections !== undefined) showConnections(connections, metrics)
  showCodec(services, metrics)
  showEngines(services, metrics)
  showNamedEngines(services, metrics)
  const collect = gauges(services, readiness, metrics)
  const collectCleanUps = cleanUpMetrics(services, lifetimes, metrics)
  return {
    contentType: metrics.contentType,
    async render() {
      for (const answered of routes) count(answered)
      responsesOfTenants.count()
      await collect()
      await collectCleanUps()
      return metrics.render()
    },
    observe(app) {
      // A hook for each route knows its path. A request makes a new object of all its route's options when it is asked.
      app.addHook('onRoute', (route) => {
        const answered: Answered = { method: String(route.method), route: route.url, statuses: new Map(), seconds: [] }
        routes.push(answered)
        route.onResponse = [noting(answered), route.onResponse ?? []].flat()
      })
    },
    observeUnknown(reply) {
      const { request } = reply
      // An unknown path is the client's own text, so it must not become a label.
      const labelled = { method: request.method, route: 'none' }
      whenResponseEnds(reply, () => {
        if (!reply.raw.writableFinished) return
        requests.add(1, { ...labelled, status: reply.statusCode })
        durations.observe([reply.elapsedTime / 1000], labelled)
      })
    },
  }
}

/** Answered requests of a route that are not counted yet. */
interface Answered {
  readonly method: string
  readonly route: string
  /** Number of responses by status. */
  readonly statuses: Map<number, number>
  /** Durations. */
  readonly seconds: number[]
}

/** Requests are counted in batches. Counting each one would take a tenth of a small response's time. */
const MOST_UNCOUNTED = 1000

function showCodec({ engines: { codecInUse } }: Services, metrics: Metrics): void {
  const codec = metrics.gauge('codec_info', '1 for the ffmpeg in use: of the system, as WebAssembly, or none', [
    'launcher',
    'version',
  ])
  metrics.onRead(() => {
    const { launcher, version = '' } = codecInUse()
    codec.clear()
    codec.set(1, { launcher, version })
  })
}

function showConnections(connections: ConnectionCounts, metrics: Metrics): void {
  const open = metrics.gauge('connections', 'Open connections of clients')
  const closed = metrics.counter(
    'connections_closed_total',
    'Connections closed or refused, because there were too many',
  )
  metrics.onRead(() => {
    open.set(connections.open)
    closed.set(connections.closed)
  })
}

/** @returns A function that sets all gauges to the current values. */
function gauges(services: Services, readiness: Readiness, metrics: Metrics): () => Promise<void> {
  const ready = metrics.gauge('ready', '1 while the service accepts requests')
  const tasks = metrics.gauge('tasks', 'Open tasks, by state', ['status'])
  const queued = metrics.gauge('tasks_queued', 'Tasks in the queue')
  const oldest = metrics.gauge('oldest_queued_task_age_seconds', 'Waiting time of the oldest queued task')
  const ended = metrics.counter('tasks_ended_total', 'Tasks that this process has ended, by state', ['status'])
  const webhooks = metrics.gauge('webhooks_pending', 'Webhooks that are not delivered yet')
  const calls = metrics.counter('webhook_calls_total', 'Calls of webhooks, by outcome', ['outcome'])
  const work = metrics.counter('work_total', 'Spoken characters, and seconds of speech and of recordings', ['measure'])
  const stored = metrics.gauge('stored_bytes', 'Bytes stored for tenants, by area', ['area'])
  const free = metrics.gauge('storage_free_bytes', 'Free space on the disk')
  const reserve = metrics.gauge('storage_reserve_whole', '1 while the reserve of disk space is whole')
  const storeUp = metrics.gauge('object_store_up', '0 while tasks wait for the object store')
  const offset = metrics.gauge(
    'clock_offset_seconds',
    'How far the clock of the process is ahead of the clock of the database',
  )
  const stalls = metrics.counter(
    'stalled_tasks_total',
    'Tasks of this process that made no progress and were given up',
    ['kind'],
  )
  const abandoned = metrics.gauge('abandoned_tasks', 'Work on such tasks that does not end', ['kind'])
  const memory = metrics.gauge('resident_memory_bytes', 'Memory of the process')
  const lag = metrics.gauge('event_loop_lag_seconds', 'Delay of the event loop since the last read', ['percentile'])
  // A hundred wake-ups a second would be half of what an idle service costs.
  const delays = monitorEventLoopDelay({ resolution: 50 })
  delays.enable()
  const commits = metrics.counter('commits_total', 'Commits of the database')
  const commitTime = metrics.counter('commit_seconds_total', 'Time of these commits')
  const slowest = metrics.gauge('commit_seconds_max', 'Slowest commit since the last read')
  const showQueue = queueMetrics(services, metrics)
  return async () => {
    const counts = await services.stores.metrics.read()
    showQueue(counts.server)
    ready.set(readiness.phase === 'ready' ? 1 : 0)
    tasks.setEach(counts.tasks)
    queued.set(counts.queued)
    oldest.set(counts.oldestQueuedAt === undefined ? 0 : (services.runtime.clock.now() - counts.oldestQueuedAt) / 1000)
    const { characters, speechSeconds, recordingSeconds, ...totals } = services.runtime.totals
    ended.setEach({ SUCCESS: totals.succeeded, FAILED: totals.failed })
    webhooks.set(counts.pendingWebhooks)
    calls.setEach(totals.webhookCalls)
    work.setEach({ characters, speech_seconds: speechSeconds, recording_seconds: recordingSeconds })
    stored.setEach(counts.storedBytes)
    free.set(await services.objects.freeBytes())
    offset.set(services.runtime.clockOffset.milliseconds / 1000)
    storeUp.set(services.runtime.outage.lasts(services.runtime.clock.now()) ? 0 : 1)
    reserve.set(services.objects.reserve.whole ? 1 : 0)
    stalls.setEach(Object.fromEntries(services.runtime.stalled.stalls))
    for (const [kind, amount] of services.runtime.stalled.abandoned) abandoned.set(amount, { kind })
    memory.set(process.memoryUsage.rss())
    for (const percentile of [50, 99, 100]) lag.set(delays.percentile(percentile) / 1e9, { percentile })
    delays.reset()
    const { count: committed, seconds, slowestSeconds } = services.stores.commitTimes.read()
    commits.set(committed)
    commitTime.set(seconds)
    slowest.set(slowestSeconds)
  }
}

/** Shows how late the clean-ups are. @returns A function that sets the gauges */
function cleanUpMetrics(services: Services, lifetimes: Lifetimes | undefined, metrics: Metrics): () => Promise<void> {
  const age = metrics.gauge('clean_up_age_seconds', 'Time since each clean-up was complete', ['clean_up'])
  const rows = metrics.gauge(
    'expired_rows',
    `Rows that wait for the clean-up, by kind, up to ${MOST_EXPIRED_COUNTED} of each`,
    ['rows'],
  )
  const { clock } = services.runtime
  const startedAt = clock.now()
  return async () => {
    const ages = await readCleanUpAges(services, clock.now() - startedAt)
    for (const [name, milliseconds] of Object.entries(ages)) age.set(milliseconds / 1000, { clean_up: name })
    if (lifetimes !== undefined) rows.setEach(await countExpired(services, lifetimes))
  }
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** Maximum tenants with a label of their own. Metrics systems store a series for each label. */
const MOST_TENANTS = 100

/** Answers by label of the tenant and class of status. They are counted when the metrics are read. */
class TenantResponses {
  readonly #counter: Metric<'tenant' | 'status'>
  readonly #labels = new TenantLabels()
  readonly #answers = new Map<string, Map<string, number>>()

  constructor(metrics: Metrics) {
    this.#counter = metrics.counter(
      'tenant_requests_total',
      'Answered requests, by tenant and class of status; only with a metrics token',
      ['tenant', 'status'],
    )
  }

  note(tenant: string, status: number): void {
    const label = this.#labels.of(tenant)
    const classes = this.#answers.get(label) ?? new Map<string, number>()
    this.#answers.set(label, classes)
    addOne(classes, `${Math.floor(status / 100)}xx`)
  }

  count(): void {
    for (const [tenant, classes] of this.#answers) {
      for (const [status, amount] of classes) this.#counter.add(amount, { tenant, status })
    }
    this.#answers.clear()
  }
}

/** Labels of tenants. Beyond the bound, tenants share the label `other`. */
class TenantLabels {
  readonly #known = new Set<string>()

  of(tenant: string): string {
    if (this.#known.has(tenant)) return tenant
    if (this.#known.size === MOST_TENANTS) return 'other'
    this.#known.add(tenant)
    return tenant
  }
}

/** Shows the state, the threads and the memory of the engines. */
function showEngines(
  {
    engines: { states: engines, semaphores, memory: engineMemory },
  }: Using<'engines.states' | 'engines.semaphores' | 'engines.memory'>,
  metrics: Metrics,
): void {
  const up = metrics.gauge('engine_up', '1 while an engine works, 0 while the service retries it', ['engine'])
  const threads = metrics.gauge('engine_threads', 'Threads of an engine', ['engine'])
  const busy = metrics.gauge('engine_busy_threads', 'Busy threads of an engine', ['engine'])
  const waiting = metrics.gauge('engine_waiting', 'Jobs in the queue of an engine', ['engine'])
  const memory = metrics.gauge('engine_resident_memory_bytes', 'Memory of the processes of the engines', ['process'])
  metrics.onRead(() => {
    for (const [engine, state] of Object.entries(engines)) up.set(state.up ? 1 : 0, { engine })
    for (const [engine, semaphore] of Object.entries(semaphores)) {
      threads.set(semaphore.size, { engine })
      busy.set(semaphore.busy, { engine })
      waiting.set(semaphore.waiting, { engine })
    }
    memory.setEach(engineMemory())
  })
}

/** Shows the state and the work of each engine of the file of engines. Without a file there is none. */
function showNamedEngines({ engines: { named: namedEngines } }: Using<'engines.named'>, metrics: Metrics): void {
  const labels = ['name', 'engine'] as const
  const up = metrics.gauge(
    'named_engine_up',
    '1 while an engine of the file of engines works, 0 while the service retries it',
    labels,
  )
  const seconds = metrics.counter(
    'named_engine_audio_seconds_total',
    'Seconds of speech or recordings, by engine',
    labels,
  )
  const failures = metrics.counter(
    'named_engine_failures_total',
    'Work that failed because of the engine, by engine',
    labels,
  )
  metrics.onRead(() => {
    for (const { name, port: engine, state, work } of namedEngines) {
      up.set(state.up ? 1 : 0, { name, engine })
      seconds.set(work.seconds, { name, engine })
      failures.set(work.failures, { name, engine })
    }
  })
}

/**
 * Sets up the metrics of the claims of this process, and of the server of a cluster's queue.
 * @returns A function that sets them
 */
function queueMetrics(
  { runtime: { totals }, stores: { connections: databaseConnections } }: Using<'stores.connections' | 'runtime.totals'>,
  metrics: Metrics,
): (server: ServerMetrics | undefined) => void {
  const claims = metrics.counter('claims_total', 'Claims of tasks by this process, those that found none too')
  const claimTime = metrics.counter('claim_seconds_total', 'Time of these claims')
  const slowest = metrics.gauge('claim_seconds_max', 'Slowest claim since the last read')
  const attempts = metrics.counter('task_attempts_total', 'Starts of tasks by this process')
  const lost = metrics.counter(
    'lost_leases_total',
    'Tasks of this process that were cancelled, or that another worker has',
  )
  const connections = metrics.gauge('database_connections', 'Connections to the database, by state', ['state'])
  const waiting = metrics.gauge('database_waiting', 'Calls that wait for a connection to the database')
  const snapshot = metrics.gauge(
    'database_oldest_snapshot_seconds',
    'Age of the oldest transaction that keeps dead rows',
  )
  const dead = metrics.gauge('database_dead_rows', 'Rows that vacuum has not removed yet, by table of the queue', [
    'table',
  ])
  const lag = metrics.gauge('database_replication_lag_seconds', 'How far the slowest standby is behind')
  return (server) => {
    const { count, seconds, slowestSeconds } = totals.claims.read()
    claims.set(count)
    claimTime.set(seconds)
    slowest.set(slowestSeconds)
    attempts.set(totals.attempts)
    lost.set(totals.lostLeases)
    const { waiting: calls = 0, ...states } = databaseConnections?.() ?? {}
    connections.setEach(states)
    waiting.set(calls)
    snapshot.set(server?.oldestSnapshotSeconds ?? 0)
    dead.setEach(server?.deadRows ?? {})
    lag.set(server?.replicationLagSeconds ?? 0)
  }
}
