import type { Insertable, InsertQueryBuilder, Kysely, RawBuilder, Transaction } from 'kysely'
import type { Idempotency, JsonObject, KnownKey, ResponseStore } from '../../ports/response-store.ts'
import { nextOf } from './shared-database.ts'
import { readObject } from './task-rows.ts'
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
    async expire(expiry) {
      const { before, limit, from = 0 } = expiry
      const old = tables
        .selectFrom('responses')
        .select(['tenant', 'key'])
        .where('stored_ms', '>=', from)
        .where('stored_ms', '<', before)
        .orderBy('stored_ms')
        .limit(limit)
      const rows = await tables
        .deleteFrom('responses')
        .where((is) => is(is.refTuple('tenant', 'key'), 'in', old.$asTuple('tenant', 'key')))
        .returning('stored_ms')
        .execute()
      return {
        count: rows.length,
        objects: [],
        next: nextOf(
          expiry,
          rows.map((row) => row.stored_ms),
        ),
      }
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

/** A key, and its task or file. */
type NewKey = { readonly tenant: string; readonly idempotency: Idempotency } & (
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
