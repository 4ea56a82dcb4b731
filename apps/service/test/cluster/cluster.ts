import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../src/drivers/postgres/database.ts'
import { migrate } from '../../src/drivers/postgres/migrate.ts'
import { type RunningService, startService } from '../../src/service.ts'
import type { ServiceOptions } from '../../src/service-options.ts'
import { type PostgresServer, startPostgres } from '../postgres/server.ts'
import { S3_CREDENTIALS, type S3Server, startS3 } from '../s3/server.ts'

/** Database and bucket of a cluster, and the processes that use them. */
export interface Cluster {
  readonly postgres: PostgresServer
  readonly s3: S3Server
  /** Options that every process has. */
  readonly shared: Pick<ServiceOptions, 'databaseUrl' | 's3Bucket' | 's3Endpoint' | 'apiKeys' | 'secretKey'>
  /** Starts a service in this process, with a data folder of its own. */
  start(options: Partial<ServiceOptions>): Promise<RunningService>
  stop(): Promise<void>
}

/** A key of the tenant `first`, and one of `second`. */
export const KEYS = { first: 'first-tenant-key', second: 'second-tenant-key' }

/** Starts PostgreSQL with its tables, and S3. The credentials go into the environment. */
export async function startCluster(): Promise<Cluster> {
  Object.assign(process.env, S3_CREDENTIALS)
  const [postgres, s3] = await Promise.all([startPostgres(), startS3()])
  const database = await openPostgres({ url: postgres.url, onError: () => {} })
  await migrate(database)
  await database.destroy()
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-cluster-'))
  const apiKeys = new Map(Object.entries(KEYS).map(([tenant, key]) => [key, tenant]))
  const shared = {
    databaseUrl: postgres.url,
    s3Bucket: s3.bucket,
    s3Endpoint: s3.endpoint,
    apiKeys,
    secretKey: 'a-key-of-at-least-32-characters-for-tests',
  }
  const running: RunningService[] = []
  let count = 0
  return {
    postgres,
    s3,
    shared,
    async start(options) {
      count += 1
      const service = await startService({
        ...shared,
        port: 0,
        dataDir: join(folder, String(count)),
        stopTimeout: 0,
        logLevel: 'silent',
        ...options,
      })
      running.push(service)
      return service
    },
    async stop() {
      await Promise.all(running.map((service) => service.close()))
      await Promise.all([postgres.stop(), s3.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
