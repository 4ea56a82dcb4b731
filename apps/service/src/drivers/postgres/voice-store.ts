import { sql, type Transaction } from 'kysely'
import { unixSeconds } from '../../domain/ids.ts'
import type { KnownKey } from '../../ports/answer-store.ts'
import type { Idempotency } from '../../ports/idempotency.ts'
import type { StoredVoice, VoiceStore } from '../../ports/voice-store.ts'
import { answerOfVoice, parametersFromColumn, rowOfVoice, voiceFromRow } from '../sqlite/voice-rows.ts'
import { insertAnswer } from './answer-store.ts'
import type { PostgresDatabase } from './database.ts'
import type { PostgresTables } from './tables.ts'

/** Voices in PostgreSQL. */
export function createVoiceStore(database: PostgresDatabase): VoiceStore {
  return {
    create: (voice, idempotency) =>
      database.transaction().execute(async (transaction) => {
        const before = idempotency === undefined ? NEW : await takeKey(transaction, voice, idempotency)
        if (before.outcome !== 'new') return before
        const made = { ...voice, createdAt: unixSeconds() }
        await transaction.insertInto('voices').values(rowOfVoice(made)).execute()
        return { outcome: 'accepted', voice: made }
      }),
    delete: (tenant, id) =>
      database.transaction().execute(async (transaction) => {
        const query = transaction.deleteFrom('voices').where('tenant', '=', tenant).where('id', '=', id)
        const row = await query.returningAll().executeTakeFirst()
        if (row === undefined) return false
        const { name, createdAt } = voiceFromRow(row)
        // The key stays, so that a late repetition does not restore the voice.
        await transaction
          .updateTable('answers')
          .where('tenant', '=', tenant)
          .where('answer', '=', JSON.stringify(answerOfVoice(id)))
          .set({ answer: JSON.stringify({ ...answerOfVoice(id), name, createdAt }) })
          .execute()
        return true
      }),
    async find(tenant, ids) {
      const query = database.selectFrom('voices').selectAll().where('tenant', '=', tenant)
      return (await query.where('id', '=', sql<string>`any(${[...ids]}::text[])`).execute()).map(voiceFromRow)
    },
    async list(tenant, { status, after, offset = 0, limit }) {
      let query = database.selectFrom('voices').selectAll().where('tenant', '=', tenant)
      if (status !== undefined) query = query.where('status', '=', status)
      if (after !== undefined) {
        const cursor = database.selectFrom('voices').select('sequence').where('id', '=', after)
        query = query.where('sequence', '>', cursor.where('tenant', '=', tenant))
      }
      return (await query.orderBy('sequence').limit(limit).offset(offset).execute()).map(voiceFromRow)
    },
    async parametersOf(id) {
      const row = await database.selectFrom('voices').select('parameters').where('id', '=', id).executeTakeFirst()
      return row === undefined ? undefined : parametersFromColumn(row.parameters)
    },
  }
}

const NEW: KnownKey = { outcome: 'new' }

function takeKey(
  transaction: Transaction<PostgresTables>,
  { tenant, id }: Pick<StoredVoice, 'tenant' | 'id'>,
  idempotency: Idempotency,
): Promise<KnownKey> {
  return insertAnswer(transaction, { tenant, idempotency, answer: answerOfVoice(id) })
}
