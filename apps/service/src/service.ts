import type { RequestListener, Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { createApp } from './app.ts'
import { createLog } from './http/log.ts'
import { openHttpListener } from './http/listener.ts'
import { Readiness } from './http/readiness.ts'
import { openServices } from './open-services.ts'
import { DEFAULT_OPTIONS, type ServiceOptions } from './service-options.ts'
import type { Services } from './services.ts'
import { auditEngineUses, AuditTrail } from './use-cases/audit-trail.ts'
import { awaitStores } from './use-cases/store-outages.ts'
import { followSwitches, KeyUses } from './use-cases/keys.ts'
import { type Lifetimes, recover, startSweeping } from './use-cases/sweep.ts'
import { startWorkers, type Workers } from './workers/workers.ts'

/** A service that listens. */
export interface RunningService {
  /** Its address, e.g. `http://127.0.0.1:8787`. */
  readonly url: string
  /** The key that this start created, if any. It cannot be read again. */
  readonly newApiKey: string | undefined
  /** The secret that signs the webhooks of the tenant of the new key. */
  readonly newWebhookSecret: string | undefined
  /** The voice that speaks requests without one: the first of the file of engines, or a bundled one. */
  readonly firstVoiceId: string | undefined
  /** Waits up to `stopTimeout` for requests and tasks in flight, aborts the rest, and releases everything. */
  close(): Promise<void>
}

const HOUR_MS = 3600 * 1000
const RESPONSE_LIFETIME_HOURS = 24

/**
 * Starts the service in this process. Resolves when it answers.
 * @throws The system's Error when the port is in use (`EADDRINUSE`) or the folder cannot be written; FolderInUseError
 * when another service uses the folder
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const settings = { ...DEFAULT_OPTIONS, ...options }
  const log = createLog(settings.logLevel)
  const cleanups: (() => Promise<void> | void)[] = []
  const cleanUp = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  }
  try {
    const { host, port, role = 'all', linkLifetimeHours, resultLifetimeHours, stopTimeout } = settings
    const door = await openHttpListener(host, port, settings)
    cleanups.push(() => closeServer(door.server))
    const url = addressOf(door.server.address(), host)
    const stopping = new AbortController()
    const services = await openServices(options, {
      log,
      stopping: stopping.signal,
      publicUrl: () => settings.publicUrl ?? url,
      linkLifetimeSeconds: Math.min(linkLifetimeHours, resultLifetimeHours) * 3600,
      onEnd: (cleanup) => cleanups.push(cleanup),
    })
    await awaitStores(services, () => services.objects.reserve.use(() => recover(services)))
    const audit = new AuditTrail({ audit: services.stores.audit, ...services.runtime })
    services.engines.addHooks(auditEngineUses(audit))
    cleanups.push(() => audit.flush())
    const made =
      role === 'worker'
        ? undefined
        : await awaitStores(services, () => services.objects.reserve.use(() => makeFirstKey(services, audit)))
    const readiness = new Readiness()
    const switches = await awaitStores(services, () => followSwitches(services.stores.keys, services.runtime.clock))
    cleanups.push(() => switches.stop())
    const uses = new KeyUses(services.stores.keys, services.runtime.clock)
    cleanups.push(() => uses.flush())
    let respond: RequestListener | undefined
    const app = await createApp(services, {
      ...settings,
      logger: log,
      readiness,
      switches,
      uses,
      audit,
      connections: door.connections,
      lifetimes: lifetimesOf(settings),
      servesHttp: role !== 'worker',
      serverFactory: (listener) => {
        respond = listener
        return door.server
      },
    })
    await app.ready()
    const workers = role === 'api' ? NO_WORKERS : startWorkers(services, settings.tasksAtOnce)
    cleanups.push(() => stopWithin({ app, readiness, workers }, stopTimeout, () => stopping.abort()))
    cleanups.push(startSweeping(services, lifetimesOf(settings)))
    if (respond !== undefined) door.open(respond)
    if (settings.openaiApi) door.acceptUpgrades()
    readiness.open()
    const machine = hostname()
    void audit.noteOwn({ action: 'startService', outcome: 'done', machine })
    // The stop does not wait for this record: the flush after the last request does.
    cleanups.push(() => void audit.noteOwn({ action: 'stopService', outcome: 'begun', machine }))
    const firstVoiceId = services.engines.speech.voices[0]?.id
    return { url, newApiKey: made?.key, newWebhookSecret: made?.secret, firstVoiceId, close: cleanUp }
  } catch (error) {
    await cleanUp()
    throw error
  }
}

function lifetimesOf(
  settings: ServiceOptions &
    Record<'inputLifetimeHours' | 'failedRequestHours' | 'resultLifetimeHours' | 'auditLifetimeDays', number>,
): Lifetimes {
  const { uploadLifetimeHours: uploads, inputLifetimeHours, resultLifetimeHours } = settings
  return {
    ...(uploads === undefined ? {} : { uploads: uploads * HOUR_MS }),
    inputs: inputLifetimeHours * HOUR_MS,
    failedRequests: settings.failedRequestHours * HOUR_MS,
    results: resultLifetimeHours * HOUR_MS,
    audit: settings.auditLifetimeDays * 24 * HOUR_MS,
    responses: Math.min(RESPONSE_LIFETIME_HOURS, resultLifetimeHours) * HOUR_MS,
  }
}

/** A process that only answers requests. */
const NO_WORKERS: Workers = { stop: () => Promise.resolve() }

async function makeFirstKey(
  { stores: { keys, secrets, leaderLock } }: Services,
  audit: AuditTrail,
): Promise<FirstKey | undefined> {
  let made: FirstKey | undefined
  await leaderLock.run('first key', async () => {
    if ((await keys.count()) > 0) return
    const { id, key } = await keys.create('default')
    await audit.noteOwn({ action: 'createKey', outcome: 'done', tenant: 'default', id, machine: hostname() })
    made = { key, secret: await secrets.secretOf('default') }
  })
  return made
}

/** The key of a first start, and the secret of its tenant's webhooks. */
interface FirstKey {
  readonly key: string
  readonly secret: string
}

/** Time for the last bytes of aborted responses (an error event, an error body), in milliseconds. */
const LAST_WORDS_MS = 500

/** The running parts. */
interface Running {
  readonly app: FastifyInstance
  readonly readiness: Readiness
  readonly workers: Workers
}

/**
 * Stops the work. The service still listens and answers new requests with 503. Requests and tasks in flight may finish
 * until the timeout, and are then aborted. Soon after, the connections are closed: a client that does not read would
 * keep its request open for ever.
 */
async function stopWithin(
  { app, readiness, workers }: Running,
  milliseconds: number,
  abort: () => void,
): Promise<void> {
  const timers = [
    setTimeout(abort, milliseconds),
    setTimeout(() => app.server.closeAllConnections(), milliseconds + LAST_WORDS_MS),
  ]
  await Promise.all([readiness.stop(), workers.stop()])
  for (const timer of timers) clearTimeout(timer)
  await app.close()
  await closeServer(app.server)
}

/** Stops listening, and soon closes the remaining connections. */
async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS)
  server.close(() => resolve(undefined))
  await promise
  clearTimeout(timer)
}

function addressOf(address: ReturnType<Server['address']>, host: string): string {
  if (address === null || typeof address === 'string') throw new Error('The service is not listening on a port')
  return `http://${isIPv6(host) ? `[${host}]` : host}:${address.port}`
}
