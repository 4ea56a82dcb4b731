import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { clusterOf } from '../storage.ts'
import { MOST_OFFSET_MS, systemClock } from '../domain/clock.ts'
import { DatabaseUnavailableError } from '../domain/errors.ts'
import { findPooler, type Pooler } from '../drivers/postgres/pool.ts'
import { createScratchSpace } from '../drivers/folder/folders.ts'
import { sharePostgres } from '../drivers/postgres/database.ts'
import { createKeyStore } from '../drivers/sql/key-store.ts'
import { checkSchema } from '../drivers/postgres/migrate.ts'
import { createS3Client } from '../drivers/s3/client.ts'
import { createS3ObjectStore } from '../drivers/s3/object-store.ts'
import type { ServiceOptions } from '../service-options.ts'
import { describeClusterError } from './errors.ts'
import type { Check, Finding } from './doctor-check.ts'
import { withPostgres } from './with-stores.ts'

/** The checks of a cluster, in place of those of a folder. */
export const CLUSTER_CHECKS: readonly Check[] = [
  { name: 'database', run: (options) => explained(() => checkDatabase(options)) },
  { name: 'bucket', run: (options) => explained(() => checkBucket(options)) },
]

async function explained(check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check()
  } catch (error) {
    const text = describeClusterError(error)
    if (text === undefined) throw error
    return { level: 'fail', text }
  }
}

/** Checks address, rights and tables. Counts keys of the environment too. */
async function checkDatabase(options: ServiceOptions): Promise<Finding> {
  const { databaseUrl = '', databaseUrlDirect, apiKeys = new Map() } = options
  const pooler = await poolerOf(databaseUrl)
  if (pooler === 'transaction' && databaseUrlDirect === undefined) {
    const text = 'DATABASE_URL leads to a connection pooler in transaction mode: set DATABASE_URL_DIRECT'
    return { level: 'fail', text: `${text} to an address of PostgreSQL itself, for LISTEN and session locks` }
  }
  return withPostgres(databaseUrl, async (database) => {
    const { found } = await checkSchema(database)
    const started = performance.now()
    const { rows } = await sql<ServerRow>`
      SELECT current_setting('server_version') AS version, svc_audio.now_ms() AS ms,
        (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS ssl,
        (SELECT datcollversion FROM pg_database WHERE datname = current_database()) AS made,
        (SELECT pg_database_collation_actual_version(oid) FROM pg_database WHERE datname = current_database()) AS found`.execute(
      database,
    )
    const took = (performance.now() - started).toFixed(1)
    // A pooler has a connection of its own to the server.
    const encryption = pooler === 'none' ? `, ${rows[0]?.ssl === true ? 'encrypted' : 'not encrypted'}` : ''
    const text = `PostgreSQL ${rows[0]?.version ?? ''} answers in ${took} ms, its tables have ${found} steps${POOLERS[pooler]}${encryption}`
    const ahead = systemClock.now() - (rows[0]?.ms ?? 0)
    if (Math.abs(ahead) > MOST_OFFSET_MS) {
      const amount = `${Math.round(ahead / 1000)} s ahead of that of the database`
      return { level: 'fail', text: `${text}. The clock of this machine is ${amount}: synchronize it` }
    }
    const collation = describeCollation(rows[0])
    if (collation !== undefined) return { level: 'warn', text: `${text}. ${collation}` }
    if ((await createKeyStore(sharePostgres(database), apiKeys).count()) > 0) return { level: 'ok', text }
    return { level: 'warn', text: `${text}, but there is no API key: make one with keys create <tenant>` }
  })
}

/** What the server says of itself. */
interface ServerRow {
  readonly version: string
  readonly ms: number
  readonly ssl: boolean | null
  /** Version of the collation when the database was made, and the one of the system now. Null for `C`. */
  readonly made: string | null
  readonly found: string | null
}

/** Compares the collation of the database with that of the system. @returns `undefined` without a difference */
export function describeCollation(row: Pick<ServerRow, 'made' | 'found'> | undefined): string | undefined {
  const { made = null, found = null } = row ?? {}
  if (made === null || found === null || made === found) return undefined
  const remedy = 'run REINDEX DATABASE and ALTER DATABASE … REFRESH COLLATION VERSION'
  return `The collation of the database is of version ${made}, and that of its system of version ${found}: the tables of the service do not depend on it; for those of other programs, ${remedy}`
}

/** What the report says about a connection pooler. */
const POOLERS: Readonly<Record<Pooler, string>> = {
  none: '',
  session: ', behind a connection pooler in session mode',
  transaction: ', behind a connection pooler in transaction mode',
}

/** @throws DatabaseUnavailableError */
async function poolerOf(databaseUrl: string): Promise<Pooler> {
  try {
    return await findPooler(databaseUrl)
  } catch (error) {
    throw new DatabaseUnavailableError({ cause: error })
  }
}

/** Stores, reads and removes an object. */
async function checkBucket(options: ServiceOptions): Promise<Finding> {
  const cluster = clusterOf({ ...options, role: 'all' })
  if (cluster === undefined) return { level: 'fail', text: 'S3_BUCKET is not set' }
  const client = await createS3Client(cluster.s3)
  // The folder of the data may not exist yet: the first start makes it.
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-doctor-'))
  try {
    const { bucket } = cluster.s3
    const scratch = createScratchSpace(folder)
    const store = await createS3ObjectStore({ client, bucket, prefix: 'doctor/', scratch })
    const name = randomUUID()
    const started = performance.now()
    const { bytes } = await store.put(name, oneMegabyte())
    const stored = await store.stat(name)
    await store.delete(name)
    if (stored?.bytes !== bytes) return { level: 'fail', text: `${bucket} does not return what was stored` }
    const took = Math.round(performance.now() - started)
    return { level: 'ok', text: `${bucket}: 1 MB stored, found and deleted in ${took} ms` }
  } finally {
    client.destroy()
    await rm(folder, { recursive: true, force: true })
  }
}

async function* oneMegabyte(): AsyncGenerator<Uint8Array, void, undefined> {
  yield new Uint8Array(1024 * 1024)
}
