import { systemClock } from './domain/clock.ts'
import { openPostgres } from './drivers/postgres/database.ts'
import { openPostgresDispatch } from './drivers/postgres/dispatch.ts'
import { createExclusive } from './drivers/postgres/exclusive.ts'
import { createKeyHolds } from './drivers/postgres/key-holds.ts'
import { checkSchema } from './drivers/postgres/migrate.ts'
import { createPostgresStores } from './drivers/postgres/open-stores.ts'
import { createRequestCounter } from './drivers/postgres/request-counter.ts'
import { createS3Client } from './drivers/s3/client.ts'
import { createS3ObjectStore } from './drivers/s3/object-store.ts'
import type { Storage } from './open-storage.ts'
import type { ScratchSpace } from './ports/scratch-space.ts'
import type { ClusterOptions } from './cluster-options.ts'
import type { Log } from './services.ts'
import { createSharedKeys } from './use-cases/idempotency/shared-keys.ts'

/** Parts of the running service that the storage of a cluster needs. */
export interface ClusterSurroundings {
  readonly apiKeys: ReadonlyMap<string, string> | undefined
  readonly tasksAtOncePerTenant: number | undefined
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
  { databaseUrl: url, databaseConnections, s3 }: ClusterOptions,
  { apiKeys, tasksAtOncePerTenant, secretKey, scratch, log }: ClusterSurroundings,
): Promise<Storage> {
  const onError = (error: unknown): void => log.warn({ err: error }, 'a connection to the database ended')
  const database = await openPostgres({
    url,
    onError,
    ...(databaseConnections === undefined ? {} : { connections: databaseConnections }),
  })
  try {
    await checkSchema(database)
    const client = await createS3Client(s3)
    const holds = createKeyHolds(database, systemClock)
    const dispatch = await openPostgresDispatch({ database, url, clock: systemClock, onError })
    return {
      stores: createPostgresStores(database, { given: apiKeys, atOncePerTenant: tasksAtOncePerTenant, secretKey }),
      dispatch,
      keysInFlight: createSharedKeys(holds),
      exclusive: createExclusive(database),
      requestCounter: createRequestCounter(database),
      shared: true,
      openObjects: (area) => createS3ObjectStore({ client, bucket: s3.bucket, prefix: `${area}/`, scratch }),
      async close() {
        holds.close()
        await dispatch.close()
        await database.destroy()
        client.destroy()
      },
    }
  } catch (error) {
    await database.destroy()
    throw error
  }
}
