import type { Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import { calendarNow } from '../../domain/calendar.ts'
import { unixSeconds } from '../../domain/ids.ts'
import type { KnownKey } from '../../ports/answer-store.ts'
import type { Idempotency } from '../../ports/idempotency.ts'
import type { JsonObject } from '../../ports/task-store.ts'
import type { StoredVoice, VoiceStatus, VoiceStore } from '../../ports/voice-store.ts'
import { insertAnswer } from './answer-store.ts'
import { LIMIT_OF_CALL, type ServiceDatabase } from './service-database.ts'
import type { Tables } from './tables.ts'
import type { VoiceTable } from './voice-table.ts'

const Parameters = z.object({
  base: z.string(),
  pitchHz: z.number(),
  rangeSemitones: z.number(),
  tempo: z.number(),
  size: z.number(),
})

/** Ids in one query. SQLite accepts some thousands. */
const IDS_AT_ONCE = 500

/** Voices in SQLite. */
export function createVoiceStore(database: ServiceDatabase): VoiceStore {
  const own = database
    .selectFrom('voices')
    .selectAll()
    .where('tenant', '=', '')
    .where((is) => is('status', '=', is.fn.coalesce(is.val<VoiceStatus>('active'), 'status')))
  const cursor = database.selectFrom('voices').select('sequence').where('id', '=', '').where('tenant', '=', '')
  const page = database.prepared(own.orderBy('sequence').limit(LIMIT_OF_CALL).offset(0))
  const pageAfter = database.prepared(
    own.where('sequence', '>', cursor).orderBy('sequence').limit(LIMIT_OF_CALL).offset(0),
  )
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
        const answers = transaction.updateTable('answers').where('tenant', '=', tenant)
        const answer = JSON.stringify({ ...madeBy(id), name, createdAt })
        await answers
          .where('answer', '=', JSON.stringify(madeBy(id)))
          .set({ answer })
          .execute()
        return true
      }),
    async find(tenant, ids) {
      const found: StoredVoice[] = []
      for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
        const some = ids.slice(at, at + IDS_AT_ONCE)
        const query = database.selectFrom('voices').selectAll().where('tenant', '=', tenant).where('id', 'in', some)
        found.push(...(await query.execute()).map(fromRow))
      }
      return found
    },
    async list(tenant, { status = null, after, offset = 0, limit }) {
      const rows =
        after === undefined
          ? page(tenant, status, limit, offset)
          : pageAfter(tenant, status, after, tenant, limit, offset)
      return rows.map(fromRow)
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
  transaction: Transaction<Tables>,
  { tenant, id }: Pick<StoredVoice, 'tenant' | 'id'>,
  idempotency: Idempotency,
): Promise<KnownKey> {
  return insertAnswer(transaction, { tenant, idempotency, answer: madeBy(id), now: calendarNow() })
}

function fromRow({
  id,
  tenant,
  name,
  description,
  status,
  parameters,
  created_at,
}: Selectable<VoiceTable>): StoredVoice {
  const kept = { parameters: Parameters.parse(JSON.parse(parameters)), createdAt: created_at }
  return { id, tenant, name, description, status, ...kept }
}
