import { sql } from 'kysely'
import { wallClockNow } from '../../domain/clock.ts'
import type { SharedDatabase, SharedTables } from '../sql/shared-database.ts'
import type { ServiceDatabase } from './service-database.ts'

/**
 * The shared stores' view of SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function shareSqlite(database: ServiceDatabase, now: () => number = wallClockNow): SharedDatabase {
  return {
    tables: database.$pickTables<keyof SharedTables>(),
    now: () => sql<number>`CAST(${now()} AS INTEGER)`,
    // A transaction is alone: there is one connection that writes.
    lockKey: async () => undefined,
    read: (build) => database.read(build),
  }
}
