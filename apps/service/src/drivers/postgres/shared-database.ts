import { sql } from 'kysely'
import type { SharedDatabase, SharedTables } from '../sql/shared-database.ts'
import { type Now, type PostgresDatabase, timeOf } from './database.ts'
import { lockSubject } from './locks.ts'

/** The shared stores' view of PostgreSQL. */
export function sharePostgres(database: PostgresDatabase, now?: Now): SharedDatabase {
  return {
    tables: database.$pickTables<keyof SharedTables>(),
    now: () => timeOf(now),
    lockKey: (transaction, tenant, key) => lockSubject(transaction, 'key', tenant, key),
    read: (build) => (values) => build((name) => sql`${values[name]}`).execute(),
  }
}
