import type { Insertable, InsertQueryBuilder, Kysely, RawBuilder, Transaction } from 'kysely'
import type { Idempotency } from '../../ports/idempotency.ts'
import type { SharedTables } from './shared-database.ts'

/** A key, and its task or file. */
export type NewKey = { readonly tenant: string; readonly idempotency: Idempotency } & (
  | { readonly task: string }
  | { readonly file: string }
)

/** The columns of a key. Each is a value, or stands for one. */
type KeyColumns = {
  readonly [Name in keyof Insertable<SharedTables['idempotency_keys']>]: string | null | RawBuilder<string | null>
}

/**
 * The query that records a key within the transaction that makes its task or file. The insert also decides between two
 * concurrent requests. It returns no row when the key is already recorded, for a task, a file or a response.
 */
export function keyInsert(
  database: Kysely<SharedTables>,
  columns: KeyColumns,
): InsertQueryBuilder<SharedTables, 'idempotency_keys', { readonly key: string }> {
  const { tenant, key, fingerprint, task_id: task, file_id: file } = columns
  const responses = database.selectFrom('responses').select('key')
  const values = database
    .selectNoFrom((is) => [
      is.val(tenant).as('tenant'),
      is.val(key).as('key'),
      is.val(fingerprint).as('fingerprint'),
      is.val(task).as('task_id'),
      is.val(file).as('file_id'),
    ])
    .where((is) => is.not(is.exists(responses.where('tenant', '=', tenant).where('key', '=', key))))
  return database
    .insertInto('idempotency_keys')
    .columns(['tenant', 'key', 'fingerprint', 'task_id', 'file_id'])
    .expression(values)
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
}

/**
 * Records a key, as {@link keyInsert} says. In a cluster the caller holds the lock of the key.
 * @returns `false` when the key is already recorded
 */
export async function insertKey(transaction: Transaction<SharedTables>, made: NewKey): Promise<boolean> {
  const { tenant, idempotency } = made
  const rows = await keyInsert(transaction, {
    tenant,
    key: idempotency.key,
    fingerprint: idempotency.fingerprint,
    task_id: 'task' in made ? made.task : null,
    file_id: 'file' in made ? made.file : null,
  }).execute()
  return rows.length > 0
}
