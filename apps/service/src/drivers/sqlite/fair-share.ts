import { sql, type Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** Records a tenant's turn, within the transaction of that turn. */
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
