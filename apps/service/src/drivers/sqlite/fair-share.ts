import { sql, type Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** Records a tenant's turn of its webhooks, within the transaction of that turn. */
export async function advanceWebhookTurn(transaction: Transaction<Tables>, tenant: string): Promise<void> {
  await sql`
    INSERT INTO webhook_turns (tenant, turn) SELECT ${tenant}, coalesce(max(turn), 0) + 1 FROM webhook_turns WHERE true
    ON CONFLICT (tenant) DO UPDATE SET turn = excluded.turn`.execute(transaction)
}
