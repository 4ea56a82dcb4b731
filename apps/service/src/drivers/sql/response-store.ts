import type { Kysely, Transaction } from 'kysely'
import type { ResponseStore, KnownKey } from '../../ports/response-store.ts'
import type { Idempotency } from '../../ports/idempotency.ts'
import type { JsonObject } from '../../ports/task-store.ts'
import { readObject } from '../sqlite/json-column.ts'
import type { SharedDatabase, SharedTables } from './shared-database.ts'

/** Answers in a database. */
export function createResponseStore(database: SharedDatabase): ResponseStore {
  const { tables } = database
  return {
    find: (tenant, idempotency) => findResponse(tables, tenant, idempotency),
    keep: (tenant, idempotency, response) =>
      tables
        .transaction()
        .execute((transaction) => insertResponse(database, transaction, { tenant, idempotency, answer: response })),
    async drop(tenant, { key, fingerprint }) {
      const query = tables.deleteFrom('answers').where('tenant', '=', tenant).where('key', '=', key)
      await query.where('fingerprint', '=', fingerprint).execute()
    },
    async expire(before) {
      const { numDeletedRows } = await tables.deleteFrom('answers').where('kept_ms', '<', before).executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

/** A response to store under a key. */
export interface NewResponse {
  readonly tenant: string
  readonly idempotency: Idempotency
  readonly answer: JsonObject
}

/**
 * Stores a response within a transaction that may have more to do. Of concurrent requests with a key, the second waits
 * for the transaction of the first. For a key of a task or a file, returns that task or file.
 */
export async function insertResponse(
  { now, lockKey }: SharedDatabase,
  transaction: Transaction<SharedTables>,
  { tenant, idempotency, answer }: NewResponse,
): Promise<KnownKey> {
  const { key, fingerprint } = idempotency
  await lockKey(transaction, tenant, key)
  const keys = transaction.selectFrom('idempotency_keys').select('key').where('tenant', '=', tenant)
  const values = transaction
    .selectNoFrom((is) => [
      is.val(tenant).as('tenant'),
      is.val(key).as('key'),
      is.val(fingerprint).as('fingerprint'),
      is.val(JSON.stringify(answer)).as('answer'),
      now().as('kept_ms'),
    ])
    .where((is) => is.not(is.exists(keys.where('key', '=', key))))
  const { numInsertedOrUpdatedRows: rows = 0n } = await transaction
    .insertInto('answers')
    .columns(['tenant', 'key', 'fingerprint', 'answer', 'kept_ms'])
    .expression(values)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return rows > 0n ? { outcome: 'new' } : findResponse(transaction, tenant, idempotency)
}

/** One query: a delete of a file moves its key from one table to the other. */
async function findResponse(
  tables: Kysely<SharedTables>,
  tenant: string,
  { key, fingerprint }: Idempotency,
): Promise<KnownKey> {
  const responses = tables
    .selectFrom('answers')
    .select((is) => ['fingerprint', 'answer', is.lit(null).as('task'), is.lit(null).as('file')])
  const keys = tables
    .selectFrom('idempotency_keys')
    .select((is) => ['fingerprint', is.lit(null).as('answer'), 'task_id as task', 'file_id as file'])
  const row = await responses
    .where('tenant', '=', tenant)
    .where('key', '=', key)
    .$castTo<FoundKey>()
    .unionAll(keys.where('tenant', '=', tenant).where('key', '=', key).$castTo<FoundKey>())
    .executeTakeFirst()
  if (row === undefined) return { outcome: 'new' }
  if (row.fingerprint !== fingerprint) return { outcome: 'conflict' }
  if (row.answer !== null) return { outcome: 'repeated', answer: readObject(row.answer) }
  return { outcome: 'repeated', answer: row.task === null ? { file: row.file } : { task: row.task } }
}

/** A row of either table. */
interface FoundKey {
  readonly fingerprint: string
  readonly answer: string | null
  readonly task: string | null
  readonly file: string | null
}
