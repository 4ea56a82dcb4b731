import { type Kysely, sql } from 'kysely'
import { type DropLeasesOptions, SUSPECT_CRASHES } from '../../ports/task-store.ts'
import type { Tables } from './tables.ts'

/**
 * Ends every lease in one transaction.
 * @param latest Milliseconds since 1970. No task waits longer: a clock that was set back would delay it.
 * @returns The number of leases
 */
export function dropLeases(
  database: Kysely<Tables>,
  { crashed = false }: DropLeasesOptions,
  latest: number,
): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    await transaction.updateTable('jobs').set({ due_ms: latest }).where('due_ms', '>', latest).execute()
    const drop = transaction
      .updateTable('jobs')
      .set((column) => ({ lease_ms: null, token: column('token', '+', 1) }))
      .where('lease_ms', 'is not', null)
    if (!crashed) return Number((await drop.executeTakeFirst()).numUpdatedRows)
    // Streams count as leases: a suspect beside a stream was not alone. A stream itself cannot continue.
    await sql`
      UPDATE jobs SET crashes = crashes + 1, attempts = max(attempts - 1, 0), interruptions = interruptions +
        (crashes >= ${SUSPECT_CRASHES} AND (SELECT count(*) FROM jobs WHERE lease_ms IS NOT NULL) = 1)
      WHERE lease_ms IS NOT NULL AND request IS NOT NULL`.execute(transaction)
    return Number((await drop.executeTakeFirst()).numUpdatedRows)
  })
}
