import { type Selectable, sql, type Transaction } from 'kysely'
import { z } from 'zod'
import { unixSeconds } from '../../domain/ids.ts'
import type { KnownKey } from '../../ports/answer-store.ts'
import type { Idempotency } from '../../ports/idempotency.ts'
import type { JsonObject } from '../../ports/task-store.ts'
import type { StoredVoice, VoiceStore } from '../../ports/voice-store.ts'
import { insertAnswer } from './answer-store.ts'
import type { PostgresDatabase } from './database.ts'
import type { PostgresTables } from './tables.ts'

const Parameters = z.object({
  base: z.string(),
  pitchHz: z.number(),
  rangeSemitones: z.number(),
  tempo: z.number(),
  size: z.number(),
})

/** Voices in PostgreSQL. */
export function createVoiceStore(database: PostgresDatabase): VoiceStore {
  return {
    create: (voice, idempotency) =>
      database.transaction().execute(async (transaction) => {
        const before = idempotency === undefined ? NEW : await takeKey(transaction, voice, idempotency)
        if (before.outcome !== 'new') return before
        const { parameters, ...rest } = voice
        const createdAt = unixSeconds()
        const row = { ...rest, parameters: JSON.stringify(parameters), created_at: createdAt }
        await transaction.insertInto('voices').values(row).execute()
        return { outcome: 'accepted', voice: { ...voice, createdAt } }
      }),
    delete: (tenant, id) =>
      database.transaction().execute(async (transaction) => {
        const query = transaction.deleteFrom('voices').where('tenant', '=', tenant).where('id', '=', id)
        const row = await query.returningAll().executeTakeFirst()
        if (row === undefined) return false
        const { name, createdAt } = fromRow(row)
        // The key stays, so that a late repetition does not restore the voice.
        await transaction
          .updateTable('answers')
          .where('tenant', '=', tenant)
          .where('answer', '=', JSON.stringify(madeBy(id)))
          .set({ answer: JSON.stringify({ ...madeBy(id), name, createdAt }) })
          .execute()
        return true
      }),
    async find(tenant, ids) {
      const query = database.selectFrom('voices').selectAll().where('tenant', '=', tenant)
      return (await query.where('id', '=', sql<string>`any(${[...ids]}::text[])`).execute()).map(fromRow)
    },
    async list(tenant, { status, after, offset = 0, limit }) {
      let query = database.selectFrom('voices').selectAll().where('tenant', '=', tenant)
      if (status !== undefined) query = query.where('status', '=', status)
      if (after !== undefined) {
        const cursor = database.selectFrom('voices').select('sequence').where('id', '=', after)
        query = query.where('sequence', '>', cursor.where('tenant', '=', tenant))
      }
      return (await query.orderBy('sequence').limit(limit).offset(offset).execute()).map(fromRow)
    },
    async parametersOf(id) {
      const row = await database.selectFrom('voices').select('parameters').where('id', '=', id).executeTakeFirst()
      return row === undefined ? undefined : Parameters.parse(JSON.parse(row.parameters))
    },
  }
}

const NEW: KnownKey = { outcome: 'new' }
const madeBy = (id: string): JsonObject => ({ voice: id })

function takeKey(
  transaction: Transaction<PostgresTables>,
  { tenant, id }: Pick<StoredVoice, 'tenant' | 'id'>,
  idempotency: Idempotency,
): Promise<KnownKey> {
  return insertAnswer(transaction, { tenant, idempotency, answer: madeBy(id) })
}

function fromRow(row: Selectable<PostgresTables['voices']>): StoredVoice {
  const { id, tenant, name, description, status, parameters, created_at: createdAt } = row
  return { id, tenant, name, description, status, parameters: Parameters.parse(JSON.parse(parameters)), createdAt }
}
