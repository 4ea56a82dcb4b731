import { sql, type Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** Notes that a tenant has had its turn, within the transaction that gives it. */
export async function advanceFairShare(
  transaction: Transaction<Tables>,
  table: 'turns' | 'webhook_turns',
  tenant: string,
): Promise<void> {
  const turns = sql.table(table)
  await sql`
    INSERT INTO ${turns} (tenant, turn) SELECT ${tenant}, coalesce(max(turn), 0) + 1 FROM ${turns} WHERE true
    ON CONFLICT (tenant) DO UPDATE SET turn = excluded.turn`.execute(transaction)
}
