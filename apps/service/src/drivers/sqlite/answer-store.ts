import { calendarNow } from '../../domain/calendar.ts'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { AnswerStore, KnownKey } from '../../ports/answer-store.ts'
import type { Idempotency } from '../../ports/idempotency.ts'
import type { JsonObject } from '../../ports/task-store.ts'
import { readObject } from './json-column.ts'
import type { Tables } from './tables.ts'

/**
 * Answers in SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function createAnswerStore(database: Kysely<Tables>, now: () => number = calendarNow): AnswerStore {
  return {
    find: (tenant, idempotency) => findAnswer(database, tenant, idempotency),
    keep: (tenant, idempotency, answer) =>
      database
        .transaction()
        .execute((transaction) => insertAnswer(transaction, { tenant, idempotency, answer, now: now() })),
    async drop(tenant, { key, fingerprint }) {
      const query = database.deleteFrom('answers').where('tenant', '=', tenant).where('key', '=', key)
      await query.where('fingerprint', '=', fingerprint).execute()
    },
    async expire(before) {
      const { numDeletedRows } = await database.deleteFrom('answers').where('kept_ms', '<', before).executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

/** An answer to store under a key. */
export interface NewAnswer {
  readonly tenant: string
  readonly idempotency: Idempotency
  readonly answer: JsonObject
  readonly now: number
}

/**
 * Stores an answer within a transaction that may have more to do. The insert also decides between two concurrent
 * requests. For a key of a task or a file, returns that task or file.
 */
export async function insertAnswer(
  transaction: Transaction<Tables>,
  { tenant, idempotency, answer, now }: NewAnswer,
): Promise<KnownKey> {
  const { key, fingerprint } = idempotency
  const { numAffectedRows = 0n } = await sql`
    INSERT INTO answers (tenant, key, fingerprint, answer, kept_ms)
    SELECT ${tenant}, ${key}, ${fingerprint}, ${JSON.stringify(answer)}, ${now}
    WHERE NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE tenant = ${tenant} AND key = ${key})
    ON CONFLICT DO NOTHING`.execute(transaction)
  return numAffectedRows > 0n ? { outcome: 'new' } : findAnswer(transaction, tenant, idempotency)
}

async function findAnswer(
  database: Kysely<Tables>,
  tenant: string,
  { key, fingerprint }: Idempotency,
): Promise<KnownKey> {
  const answers = database.selectFrom('answers').select(['fingerprint', 'answer'])
  const row = await answers.where('tenant', '=', tenant).where('key', '=', key).executeTakeFirst()
  if (row?.fingerprint === fingerprint) return { outcome: 'repeated', answer: readObject(row.answer) }
  if (row !== undefined) return { outcome: 'conflict' }
  const keys = database.selectFrom('idempotency_keys').select(['fingerprint', 'task_id as task', 'file_id as file'])
  const made = await keys.where('tenant', '=', tenant).where('key', '=', key).executeTakeFirst()
  if (made === undefined) return { outcome: 'new' }
  if (made.fingerprint !== fingerprint) return { outcome: 'conflict' }
  return { outcome: 'repeated', answer: made.task === null ? { file: made.file } : { task: made.task } }
}
