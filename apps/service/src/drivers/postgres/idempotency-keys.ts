import { sql, type Transaction } from 'kysely'
import type { Idempotency } from '../../ports/idempotency.ts'
import type { PostgresTables } from './tables.ts'

/** A key, and its task or file. */
export type NewKey = { readonly tenant: string; readonly idempotency: Idempotency } & (
  | { readonly task: string }
  | { readonly file: string }
)

/**
 * Records a key within the transaction that makes its task or file. The caller holds the lock of the key.
 * @returns `false` when the key is already recorded, for a task, a file or an answer.
 */
export async function insertKey(transaction: Transaction<PostgresTables>, made: NewKey): Promise<boolean> {
  const { tenant, idempotency } = made
  const { key, fingerprint } = idempotency
  const task = 'task' in made ? made.task : null
  const file = 'file' in made ? made.file : null
  const { numAffectedRows = 0n } = await sql`
    INSERT INTO svc_audio.idempotency_keys (tenant, key, fingerprint, task_id, file_id)
    SELECT ${tenant}::text, ${key}::text, ${fingerprint}::text, ${task}::text, ${file}::text
    WHERE NOT EXISTS (SELECT FROM svc_audio.answers WHERE tenant = ${tenant} AND key = ${key})
    ON CONFLICT DO NOTHING`.execute(transaction)
  return numAffectedRows > 0n
}
