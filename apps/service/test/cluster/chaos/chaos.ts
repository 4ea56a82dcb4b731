import { setTimeout as sleep } from 'node:timers/promises'
import { Random, SEED } from '@svc-audio/kit/engine-fixtures/random.ts'
import { openPostgres } from '../../../src/drivers/postgres/database.ts'
import { migrate } from '../../../src/drivers/postgres/migrate.ts'
import { startPostgres } from '../../postgres/server.ts'
import { type S3Process, startS3Process } from '../../s3/process.ts'
import { S3_CREDENTIALS } from '../../s3/server.ts'
import { startReceiver } from '../../support/receiver.ts'
import { collectEvidence, type Evidence } from './evidence.ts'
import { startFaultProxy } from './fault-proxy.ts'
import { makeFaults, PATIENCE_MS } from './faults.ts'
import { type Accepted, type Load, startLoad } from './load.ts'
import { ClusterNode } from './nodes.ts'

const random = new Random(SEED)

/** What a run with faults has shown. */
export interface ChaosReport extends Evidence {
  /** Accepted tasks and files. */
  readonly accepted: number
  /** Faults by kind. */
  readonly faults: Readonly<Record<string, number>>
  readonly answers: ReadonlyMap<string, number>
  /** How often a process ended by itself. */
  readonly crashes: number
  /** Tasks whose webhook was never called. */
  readonly silent: readonly string[]
  /** Calls of webhooks beyond the first of a task. */
  readonly repeatedCalls: number
  /** Seconds from the end of the faults until the last webhook was called. */
  readonly drainSeconds: number
}

/** Options of {@link runChaos}. */
export interface ChaosOptions {
  /** Time of load and faults. */
  readonly seconds: number
  readonly apis: number
  readonly workers: number
}

/** Options of {@link runUnderLoad}. */
export interface LoadedRun extends Pick<ChaosOptions, 'apis' | 'workers'> {
  /** The database, as the test reads it. It has no tables yet. */
  readonly databaseUrl: string
  /** The database, as the processes reach it. */
  readonly nodesUrl: string
  readonly s3: S3Process
  /** S3, as the processes reach it. */
  readonly s3Endpoint: string
  /** How far the clock of each process is ahead of the machine's, in hours, in the order of `nodes`. @default 0 */
  readonly hoursAhead?: readonly number[]
  /** Time between two sweeps of each process, in milliseconds. @default none sweeps */
  readonly sweepMs?: number
  /** Makes the faults. Everything works when it resolves. @returns Numbers for the report */
  readonly disturb: (nodes: readonly ClusterNode[], load: Load) => Promise<Readonly<Record<string, number>>>
}

/** Longest time until all work has ended after the faults, in milliseconds: leases and retries of webhooks included. */
const DRAIN_MS = 180_000

/** Runs a cluster under load and random faults, and compares what clients were told with what it has stored. */
export async function runChaos({ seconds, ...counts }: ChaosOptions): Promise<ChaosReport> {
  const [postgres, s3] = await Promise.all([startPostgres(), startS3Process()])
  const [postgresProxy, s3Proxy] = await Promise.all([startFaultProxy(postgres.port), startFaultProxy(s3.port)])
  try {
    return await runUnderLoad({
      ...counts,
      databaseUrl: postgres.url,
      nodesUrl: postgres.url.replace(String(postgres.port), String(postgresProxy.port)),
      s3,
      s3Endpoint: `http://127.0.0.1:${s3Proxy.port}`,
      disturb: (nodes) => makeFaults({ nodes, postgres, postgresProxy, s3, s3Proxy }, seconds),
    })
  } finally {
    await Promise.all([postgresProxy.close(), s3Proxy.close()])
    await Promise.all([postgres.stop(), s3.stop()])
  }
}

/** Runs a cluster under load and given faults, and compares what clients were told with what it has stored. */
export async function runUnderLoad(run: LoadedRun): Promise<ChaosReport> {
  Object.assign(process.env, S3_CREDENTIALS)
  const { s3 } = run
  const database = await openPostgres({ url: run.databaseUrl, onError: () => {} })
  await migrate(database)
  // One call in ten is refused, to be repeated.
  const receiver = await startReceiver(() => (random.next() < 0.1 ? 503 : 204))
  const environment = {
    DATABASE_URL: run.nodesUrl,
    S3_BUCKET: s3.bucket,
    S3_ENDPOINT: run.s3Endpoint,
    ENGINE_MS: '200',
    AT_ONCE: '4',
    PATIENCE_MS: String(PATIENCE_MS),
    ...(run.sweepMs !== undefined && { SWEEP_MS: String(run.sweepMs) }),
  }
  const nodeOf = (role: 'api' | 'worker', index: number): ClusterNode =>
    new ClusterNode(role, { ...environment, ...clockAhead(run.hoursAhead?.[index] ?? 0) })
  const apis = Array.from({ length: run.apis }, (_, index) => nodeOf('api', index))
  const nodes = [...apis, ...Array.from({ length: run.workers }, (_, index) => nodeOf('worker', run.apis + index))]
  try {
    await Promise.all(nodes.map((node) => node.start()))
    const load = startLoad({ apis, hook: receiver.url, clients: 12, pause: 300 })
    const faults = await run.disturb(nodes, load)
    await load.stop()
    const started = Date.now()
    const tasks = load.accepted.filter(({ kind }) => kind !== 'file')
    const called = (): Set<string> => new Set(receiver.calls.map(({ body }) => idOf(body)))
    const waiting = (): Accepted[] => {
      const ids = called()
      return tasks.filter(({ id }) => !ids.has(id))
    }
    while (Date.now() < started + DRAIN_MS && waiting().length > 0) await sleep(500)
    const drainSeconds = (Date.now() - started) / 1000
    const bodies = receiver.calls.map(({ body }) => body)
    return {
      accepted: load.accepted.length,
      faults,
      answers: load.answers,
      crashes: nodes.reduce((sum, node) => sum + node.crashes, 0),
      ...(await collectEvidence(load.accepted, { database, apis, s3, bodies })),
      silent: waiting().map(({ id }) => id),
      repeatedCalls: receiver.calls.length - called().size,
      drainSeconds,
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
    await database.destroy()
    receiver.close()
  }
}

/** The environment of a process that reads another time from its machine. Timers run as before. */
function clockAhead(hours: number): NodeJS.ProcessEnv {
  if (hours === 0) return {}
  const script = `
    const Right = Date
    const now = () => Right.now() + ${hours * 3_600_000}
    globalThis.Date = class Date extends Right {
      constructor(...parts) { super(...(parts.length === 0 ? [now()] : parts)) }
      static now() { return now() }
    }`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` }
}

function idOf(body: string): string {
  return (JSON.parse(body) as { readonly id: string }).id
}
