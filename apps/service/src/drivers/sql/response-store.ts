import type { Kysely, Transaction } from 'kysely'
import type { ResponseStore, KnownKey } from '../../ports/response-store.ts'
import type { Idempotency } from '../../ports/idempotency.ts'
import type { JsonObject } from '../../ports/task-store.ts'
import { readObject } from '../sqlite/json-column.ts'
import type { SharedDatabase, SharedTables } from './shared-database.ts'

/** Responses in a database. */
export function createResponseStore(database: SharedDatabase): ResponseStore {
  const { tables } = database
  return {
    find: (tenant, idempotency) => findResponse(tables, tenant, idempotency),
    keep: (tenant, idempotency, response) =>
      tables
        .transaction()
        .execute((transaction) => insertResponse(database, transaction, { tenant, idempotency, response })),
    async drop(tenant, { key, fingerprint }) {
      const query = tables.deleteFrom('responses').where('tenant', '=', tenant).where('key', '=', key)
      await query.where('fingerprint', '=', fingerprint).execute()
    },
    async expire(before) {
      const { numDeletedRows } = await tables.deleteFrom('responses').where('stored_ms', '<', before).executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

/** A response to store under a key. */
export interface NewResponse {
  readonly tenant: string
  readonly idempotency: Idempotency
  readonly response: JsonObject
}

/**
 * Stores a response within a transaction that may have more to do. Of concurrent requests with a key, the second waits
 * for the transaction of the first. For a key of a task or a file, returns that task or file.
 */
export async function insertResponse(
  { now, lockKey }: SharedDatabase,
  transaction: Transaction<SharedTables>,
  { tenant, idempotency, response }: NewResponse,
): Promise<KnownKey> {
  const { key, fingerprint } = idempotency
  await lockKey(transaction, tenant, key)
  const keys = transaction.selectFrom('idempotency_keys').select('key').where('tenant', '=', tenant)
  const values = transaction
    .selectNoFrom((is) => [
      is.val(tenant).as('tenant'),
      is.val(key).as('key'),
      is.val(fingerprint).as('fingerprint'),
      is.val(JSON.stringify(response)).as('response'),
      now().as('stored_ms'),
    ])
    .where((is) => is.not(is.exists(keys.where('key', '=', key))))
  const { numInsertedOrUpdatedRows: rows = 0n } = await transaction
    .insertInto('responses')
    .columns(['tenant', 'key', 'fingerprint', 'response', 'stored_ms'])
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
    .selectFrom('responses')
    .select((is) => ['fingerprint', 'response', is.lit(null).as('task'), is.lit(null).as('file')])
  const keys = tables
    .selectFrom('idempotency_keys')
    .select((is) => ['fingerprint', is.lit(null).as('response'), 'task_id as task', 'file_id as file'])
  const row = await responses
    .where('tenant', '=', tenant)
    .where('key', '=', key)
    .$castTo<FoundKey>()
    .unionAll(keys.where('tenant', '=', tenant).where('key', '=', key).$castTo<FoundKey>())
    .executeTakeFirst()
  if (row === undefined) return { outcome: 'new' }
  if (row.fingerprint !== fingerprint) return { outcome: 'conflict' }
  if (row.response !== null) return { outcome: 'repeated', answer: readObject(row.response) }
  return { outcome: 'repeated', answer: row.task === null ? { file: row.file } : { task: row.task } }
}

/** A row of either table. */
interface FoundKey {
  readonly fingerprint: string
  readonly response: string | null
  readonly task: string | null
  readonly file: string | null
}
