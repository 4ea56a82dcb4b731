import { type Kysely, sql, type Transaction } from 'kysely'
import type { AnswerStore, KnownKey } from '../../ports/answer-store.ts'
import type { Idempotency } from '../../ports/idempotency.ts'
import type { JsonObject } from '../../ports/task-store.ts'
import { readObject } from '../sqlite/json-column.ts'
import { type Now, type PostgresDatabase, timeOf } from './database.ts'
import { lockSubject } from './locks.ts'
import type { PostgresTables } from './tables.ts'

/** Answers in PostgreSQL. */
export function createAnswerStore(database: PostgresDatabase, now?: Now): AnswerStore {
  return {
    find: (tenant, idempotency) => findAnswer(database, tenant, idempotency),
    keep: (tenant, idempotency, answer) =>
      database.transaction().execute((transaction) => insertAnswer(transaction, { tenant, idempotency, answer }, now)),
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
}

/**
 * Stores an answer within a transaction that may have more to do. Of concurrent requests with a key, the second waits
 * for the transaction of the first. For a key of a task or a file, returns that task or file.
 */
export async function insertAnswer(
  transaction: Transaction<PostgresTables>,
  { tenant, idempotency, answer }: NewAnswer,
  now?: Now,
): Promise<KnownKey> {
  const { key, fingerprint } = idempotency
  await lockSubject(transaction, 'key', tenant, key)
  const { numAffectedRows = 0n } = await sql`
    INSERT INTO svc_audio.answers (tenant, key, fingerprint, answer, kept_ms)
    SELECT ${tenant}::text, ${key}::text, ${fingerprint}::text, ${JSON.stringify(answer)}::text, ${timeOf(now)}
    WHERE NOT EXISTS (SELECT FROM svc_audio.idempotency_keys WHERE tenant = ${tenant} AND key = ${key})
    ON CONFLICT DO NOTHING`.execute(transaction)
  return numAffectedRows > 0n ? { outcome: 'new' } : findAnswer(transaction, tenant, idempotency)
}

async function findAnswer(
  database: Kysely<PostgresTables>,
  tenant: string,
  { key, fingerprint }: Idempotency,
): Promise<KnownKey> {
  const { rows } = await sql<{ fingerprint: string; answer: string | null; task: string | null; file: string | null }>`
    SELECT fingerprint, answer, NULL AS task, NULL AS file FROM svc_audio.answers
      WHERE tenant = ${tenant} AND key = ${key}
    UNION ALL
    SELECT fingerprint, NULL, task_id, file_id FROM svc_audio.idempotency_keys
      WHERE tenant = ${tenant} AND key = ${key}`.execute(database)
  const [row] = rows
  if (row === undefined) return { outcome: 'new' }
  if (row.fingerprint !== fingerprint) return { outcome: 'conflict' }
  if (row.answer !== null) return { outcome: 'repeated', answer: readObject(row.answer) }
  return { outcome: 'repeated', answer: row.task === null ? { file: row.file } : { task: row.task } }
}
