import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { sql } from 'kysely'
import { systemClock } from './domain/clock.ts'
import { CallTimes } from './domain/usage.ts'
import { openPostgres, type PostgresDatabase } from './drivers/postgres/database.ts'
import { openPostgresDispatch } from './drivers/postgres/dispatch.ts'
import { createKeyLocks, createLeaderLock, createRequestCounter } from './drivers/postgres/locks.ts'
import { checkSchema } from './drivers/postgres/migrate.ts'
import { createPostgresStores } from './drivers/postgres/stores.ts'
import { DatabaseContact } from './drivers/postgres/task-store.ts'
import { createS3Client } from './drivers/s3/client.ts'
import { createS3ObjectStore } from './drivers/s3/object-store.ts'
import type { ClusterOptions, Storage } from './storage.ts'
import type { ScratchSpace } from './ports/disk.ts'
import type { DatabaseConnections } from './ports/store-metrics.ts'
import type { Log } from './services.ts'
import { awaitStores } from './use-cases/store-outages.ts'
import { createSharedKeys } from './use-cases/idempotency.ts'

/** Parts of the running service that the storage of a cluster needs. */
export interface ClusterSurroundings {
  readonly apiKeys: ReadonlyMap<string, string> | undefined
  readonly tasksAtOncePerTenant: number | undefined
  /** Whether the requests of failed tasks are stored. */
  readonly storeFailedRequests: boolean
  /** Seals the secrets. Every process has the same. @default secrets are stored in clear */
  readonly secretKey?: string | undefined
  /** Space for objects that a program needs as files. */
  readonly scratch: ScratchSpace
  readonly log: Log
}

/**
 * Opens the storage of a cluster: PostgreSQL and S3.
 * @throws MissingPackageError; SchemaError; DatabaseUnavailableError
 */
export async function openCluster(
  { databaseUrl: url, directUrl, isPooled, databaseConnections, s3 }: ClusterOptions,
  { apiKeys, tasksAtOncePerTenant, storeFailedRequests, secretKey, scratch, log }: ClusterSurroundings,
): Promise<Storage> {
  const onError = (error: unknown): void => log.warn({ err: error }, 'a connection to the database ended')
  const pool: { connections?: () => DatabaseConnections } = {}
  const database = await openPostgres({
    url,
    isPooled,
    onError,
    watch: (read) => {
      pool.connections = read
    },
    ...(databaseConnections === undefined ? {} : { connections: databaseConnections }),
  })
  const direct = isPooled ? await openPostgres({ url: directUrl, connections: 4, onError }) : database
  try {
    await awaitStores({ runtime: { clock: systemClock, log } }, () => checkSchema(database))
    const client = await createS3Client(s3)
    const holds = createKeyLocks(database, systemClock)
    const dispatch = await openPostgresDispatch({ database, url: directUrl, clock: systemClock, onError })
    return {
      stores: createPostgresStores(
        database,
        { atOncePerTenant: tasksAtOncePerTenant, storeFailedRequests, secretKey, contact: new DatabaseContact() },
        apiKeys,
      ),
      dispatch,
      keysInFlight: createSharedKeys(holds),
      leaderLock: createLeaderLock(direct),
      requestCounter: createRequestCounter(database),
      shared: true,
      ...(pool.connections === undefined ? {} : { connections: pool.connections }),
      commitTimes: new CallTimes(),
      async time() {
        const { rows } = await sql<{ ms: number }>`SELECT svc_audio.now_ms() AS ms`.execute(database)
        return rows[0]?.ms ?? Number.NaN
      },
      probe: () => probeStores(database, client, { bucket: s3.bucket, scratch }),
      openObjects: (area) => createS3ObjectStore({ client, bucket: s3.bucket, prefix: `${area}/`, scratch }),
      async close() {
        holds.close()
        await dispatch.close()
        await database.destroy()
        if (direct !== database) await direct.destroy()
        client.destroy()
      },
    }
  } catch (error) {
    await database.destroy()
    throw error
  }
}

const PROBE = Buffer.from('probe')

/** Asks the database, and stores, reads and deletes an object. @throws DatabaseUnavailableError; ObjectStoreUnavailableError */
async function probeStores(
  database: PostgresDatabase,
  client: S3Client,
  { bucket, scratch }: { readonly bucket: string; readonly scratch: ScratchSpace },
): Promise<void> {
  await sql`SELECT 1`.execute(database)
  const store = await createS3ObjectStore({ client, bucket, prefix: 'probe/', scratch })
  const name = randomUUID()
  await store.put(name, Readable.from([PROBE]))
  await store.withFile(name, () => Promise.resolve())
  await store.delete(name)
}
