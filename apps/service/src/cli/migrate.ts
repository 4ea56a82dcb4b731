import { createAuditStore } from '../drivers/sql/audit-store.ts'
import { migrate } from '../drivers/postgres/migrate.ts'
import type { ServiceOptions } from '../service-options.ts'
import { operatorRecord } from './audited.ts'
import { UsageError } from './usage-error.ts'
import { withPostgres } from './with-stores.ts'

/**
 * Makes or upgrades the tables of the database of a cluster, also beside running services.
 * @throws UsageError without DATABASE_URL
 */
export async function migrateDatabase({
  databaseUrl,
  databaseUrlDirect,
}: Pick<ServiceOptions, 'databaseUrl' | 'databaseUrlDirect'>): Promise<string> {
  if (databaseUrl === undefined) {
    throw new UsageError('migrate needs DATABASE_URL. A folder upgrades itself when a service starts')
  }
  return withPostgres(databaseUrlDirect ?? databaseUrl, async (database) => {
    const { found, wanted } = await migrate(database)
    // Its own table may be among the new ones, so the log has no record of the beginning.
    await createAuditStore(database).append([operatorRecord('migrate', 'done')])
    if (found >= wanted) return `The database is up to date: ${found} steps.\n`
    return `The database has all ${wanted} steps now, ${wanted - found} of them new.\n`
  })
}
