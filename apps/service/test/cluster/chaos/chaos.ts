import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openPostgres } from '../../../src/drivers/postgres/database.ts'
import { migrate } from '../../../src/drivers/postgres/migrate.ts'
import { type PostgresServer, startPostgres } from '../../postgres/server.ts'
import { S3_CREDENTIALS, startS3 } from '../../s3/server.ts'
import { startReceiver } from '../../support/receiver.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { type AcceptedTask, startLoad } from './load.ts'
import { ClusterNode } from './nodes.ts'

/** What a run with faults has shown. */
export interface ChaosReport {
  readonly accepted: number
  /** Faults by kind. */
  readonly faults: Readonly<Record<string, number>>
  readonly answers: ReadonlyMap<string, number>
  /** Accepted tasks that the database does not have, or that have not ended. */
  readonly lost: readonly string[]
  /** Tasks that no client was told of. */
  readonly unknown: number
  /** Ended tasks by status and code. */
  readonly ends: ReadonlyMap<string, number>
  /** Tasks whose webhooks or reads differ in their result, or whose audio is not that of the text. */
  readonly differing: readonly string[]
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

/** Longest time until all work has ended after the faults, in milliseconds: leases and retries of webhooks included. */
const DRAIN_MS = 180_000

/** Runs a cluster under load and faults, and compares what clients were told with what it has stored. */
export async function runChaos({ seconds, apis, workers }: ChaosOptions): Promise<ChaosReport> {
  const [postgres, s3] = await Promise.all([startPostgres(), startS3()])
  const database = await openPostgres({ url: postgres.url, onError: () => {} })
  await migrate(database)
  const proxy = await startFaultProxy(postgres.port)
  // One call in ten is refused, to be repeated.
  const receiver = await startReceiver(() => (Math.random() < 0.1 ? 503 : 204))
  const environment = {
    ...S3_CREDENTIALS,
    DATABASE_URL: postgres.url.replace(String(postgres.port), String(proxy.port)),
    S3_BUCKET: s3.bucket,
    S3_ENDPOINT: s3.endpoint,
    ENGINE_MS: '200',
    AT_ONCE: '4',
    PATIENCE_MS: String(PATIENCE_MS),
  }
  const nodes = [
    ...Array.from({ length: apis }, () => new ClusterNode('api', environment)),
    ...Array.from({ length: workers }, () => new ClusterNode('worker', environment)),
  ]
  try {
    await Promise.all(nodes.map((node) => node.start()))
    const load = startLoad(
      nodes.filter(({ role }) => role === 'api'),
      receiver.url,
      12,
      300,
    )
    const faults = await makeFaults({ nodes, proxy, postgres, seconds })
    await load.stop()
    const started = Date.now()
    const called = (): Set<string> => new Set(receiver.calls.map(({ body }) => idOf(body)))
    const waiting = (): AcceptedTask[] => {
      const ids = called()
      return load.accepted.filter(({ id }) => !ids.has(id))
    }
    while (Date.now() < started + DRAIN_MS && waiting().length > 0) await sleep(500)
    const drainSeconds = (Date.now() - started) / 1000
    const { rows } = await sql<StoredRow>`SELECT id, tenant, status, result, error FROM svc_audio.tasks`.execute(
      database,
    )
    return {
      accepted: load.accepted.length,
      faults,
      answers: load.answers,
      ...compareTasks(load.accepted, rows),
      differing: await findDiffering(
        load.accepted,
        rows,
        receiver.calls.map(({ body }) => body),
        s3,
      ),
      silent: waiting().map(({ id }) => id),
      repeatedCalls: receiver.calls.length - called().size,
      drainSeconds,
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
    await database.destroy()
    await proxy.close()
    receiver.close()
    await Promise.all([postgres.stop(), s3.stop()])
  }
}

interface StoredRow {
  readonly id: string
  readonly tenant: string
  readonly status: string
  readonly result: string | null
  readonly error: string | null
}

function compareTasks(accepted: readonly AcceptedTask[], rows: readonly StoredRow[]) {
  const stored = new Map(rows.map((row) => [row.id, row]))
  const ended = ({ id }: AcceptedTask): boolean => ['SUCCESS', 'FAILED'].includes(stored.get(id)?.status ?? '')
  const ends = new Map<string, number>()
  for (const { status, error } of rows) {
    const end = error === null ? status : `${status} ${(JSON.parse(error) as { code: string }).code}`
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  const lost = accepted.filter((task) => !ended(task)).map(({ id }) => id)
  return { lost, ends, unknown: rows.length - new Set(accepted.map(({ id }) => id)).size }
}

/** The header of a WAV file, in bytes; each character of the text is two bytes of sound. */
const WAV_HEADER_BYTES = 44

/** Compares all webhook calls of a task with its row, and the size of its audio with its text. */
async function findDiffering(
  accepted: readonly AcceptedTask[],
  rows: readonly StoredRow[],
  bodies: readonly string[],
  s3: { readonly endpoint: string; readonly bucket: string },
): Promise<string[]> {
  const files = new Map(rows.map(({ id, result }) => [id, result === null ? '' : fileOf(result)]))
  const differing = new Set<string>()
  for (const body of bodies) {
    const { id, url = '' } = JSON.parse(body) as { readonly id: string; readonly url?: string }
    const file = url === '' ? '' : new URL(url).pathname.split('/').at(-1)
    if (file !== files.get(id)) differing.add(id)
  }
  const { createS3Client } = await import('../../../src/drivers/s3/client.ts')
  const { createS3ObjectStore } = await import('../../../src/drivers/s3/object-store.ts')
  Object.assign(process.env, S3_CREDENTIALS)
  const client = await createS3Client(s3)
  const scratch = { withPath: () => Promise.reject(new Error('Not used')), clear: async () => {} }
  const store = await createS3ObjectStore({ client, bucket: s3.bucket, prefix: 'results/', scratch })
  for (const { id, input } of accepted) {
    const file = files.get(id) ?? ''
    const stored = file === '' ? undefined : await store.stat(file)
    if (file !== '' && stored?.bytes !== WAV_HEADER_BYTES + 2 * input.length) differing.add(id)
  }
  client.destroy()
  return [...differing]
}

function fileOf(result: string): string {
  return (JSON.parse(result) as { readonly file: string }).file
}

function idOf(body: string): string {
  return (JSON.parse(body) as { readonly id: string }).id
}

interface FaultTargets {
  readonly nodes: readonly ClusterNode[]
  readonly proxy: FaultProxy
  readonly postgres: PostgresServer
  readonly seconds: number
}

/** Longest time of a task without progress: above that of a query that fails. */
const PATIENCE_MS = 30_000

/** A pause longer than a lease: the work of the paused process is taken over while it lives. */
const LONG_PAUSE_MS = 35_000

/** Makes faults at random until the time is over. One worker pauses for longer than its leases. */
async function makeFaults({ nodes, proxy, postgres, seconds }: FaultTargets): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const until = Date.now() + seconds * 1000
  const any = (role: 'api' | 'worker'): ClusterNode | undefined => {
    const some = nodes.filter((node) => node.role === role)
    return some[Math.floor(Math.random() * some.length)]
  }
  const faults: Record<string, () => Promise<void> | void> = {
    'kill -9 of a worker': () => any('worker')?.kill(),
    'kill -9 of an API process': () => any('api')?.kill(),
    'pause of a worker': () => any('worker')?.pause(3000),
    'hang of an engine': () => any('worker')?.hang(3000),
    'all connections to PostgreSQL cut': () => proxy.cut(),
    'delay of 50 ms to PostgreSQL': async () => {
      proxy.delay = 50
      await sleep(2000)
      proxy.delay = 0
    },
    'kill -9 of PostgreSQL': async () => {
      await postgres.kill()
      await postgres.start()
    },
  }
  const names = Object.keys(faults)
  const long = nodes.find(({ role }) => role === 'worker')?.pause(LONG_PAUSE_MS)
  for (let n = 0; Date.now() < until; n += 1) {
    await sleep(1500 + Math.random() * 2000)
    const name = names[n % names.length] ?? ''
    await faults[name]?.()
    counts[name] = (counts[name] ?? 0) + 1
  }
  await long
  return { ...counts, 'pause of a worker for longer than its lease': 1 }
}
