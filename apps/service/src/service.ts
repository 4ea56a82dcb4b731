import { isIPv6 } from 'node:net'
import { availableParallelism } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { createApp } from './app.ts'
import { openServices } from './open-services.ts'
import type { ServiceOptions } from './service-options.ts'
import type { Services } from './services.ts'
import { recover, startSweeping } from './use-cases/sweep.ts'
import { startWorkers, type Workers } from './use-cases/workers.ts'

/** A service that is listening. */
export interface RunningService {
  /** Its address, e.g. `http://127.0.0.1:8787`. */
  readonly url: string
  /** The key that was made at this start, if one was: it can never be seen again. */
  readonly newApiKey: string | undefined
  /** The secret that webhooks of that key's tenant are signed with. */
  readonly newWebhookSecret: string | undefined
  /** Lets running requests and tasks finish, up to `stopTimeout`, then ends or hands back the rest and frees everything. */
  close(): Promise<void>
}

const HOUR_MS = 3600 * 1000
const LINK_LIFETIME_HOURS = 24
const ANSWER_LIFETIME_HOURS = 24

/**
 * Starts the service in this process. Resolves when it listens.
 * @throws Error of the system when the port is taken (`EADDRINUSE`) or the folder cannot be written; FolderInUseError
 * when another service serves the folder
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { port = 8787, host = '127.0.0.1', stopTimeout = 10_000, inputLifetimeHours = 24 } = options
  const { resultLifetimeHours = 168, tasksAtOnce = Math.max(2, availableParallelism()) } = options
  const log = pino({ level: options.logLevel ?? 'warn' }, pino.destination(2))
  const cleanups: (() => Promise<void> | void)[] = []
  const cleanUp = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  }
  try {
    let url = ''
    const stopping = new AbortController()
    const services = await openServices(options, {
      log,
      stopping: stopping.signal,
      publicUrl: () => url,
      linkLifetimeSeconds: Math.min(LINK_LIFETIME_HOURS, resultLifetimeHours) * 3600,
      onEnd: (cleanup) => cleanups.push(cleanup),
    })
    await recover(services)
    const made = await makeFirstKey(services)
    const app = await createApp(services, log)
    let workers: Workers | undefined
    cleanups.push(() => stopWithin(app, () => workers, { milliseconds: stopTimeout, abort: () => stopping.abort() }))
    await app.listen({ port, host })
    url = addressOf(app.server.address(), host)
    // Only now is there an address for the links to results.
    workers = startWorkers(services, tasksAtOnce)
    const lifetimes = {
      inputs: inputLifetimeHours * HOUR_MS,
      results: resultLifetimeHours * HOUR_MS,
      answers: Math.min(ANSWER_LIFETIME_HOURS, resultLifetimeHours) * HOUR_MS,
    }
    cleanups.push(startSweeping(services, lifetimes))
    return { url, newApiKey: made?.key, newWebhookSecret: made?.secret, close: cleanUp }
  } catch (error) {
    await cleanUp()
    throw error
  }
}

async function makeFirstKey({
  keys,
  secrets,
}: Services): Promise<{ readonly key: string; readonly secret: string } | undefined> {
  if ((await keys.count()) > 0) return undefined
  return { key: await keys.create('default'), secret: await secrets.secretOf('default') }
}

/** Time for the last words of what is aborted: an error event, an error body. */
const LAST_WORDS_MS = 500

/**
 * Ends the work: running requests and tasks may finish, after a while they are aborted, and soon after that the
 * connections are cut, since a client that does not read would keep its request open for ever.
 */
async function stopWithin(
  app: FastifyInstance,
  workers: () => Workers | undefined,
  { milliseconds, abort }: { readonly milliseconds: number; readonly abort: () => void },
): Promise<void> {
  const timers = [
    setTimeout(abort, milliseconds),
    setTimeout(() => app.server.closeAllConnections(), milliseconds + LAST_WORDS_MS),
  ]
  await Promise.all([app.close(), workers()?.stop()])
  for (const timer of timers) clearTimeout(timer)
}

function addressOf(address: ReturnType<import('node:net').Server['address']>, host: string): string {
  if (address === null || typeof address === 'string') throw new Error('The service is not listening on a port')
  return `http://${isIPv6(host) ? `[${host}]` : host}:${address.port}`
}
