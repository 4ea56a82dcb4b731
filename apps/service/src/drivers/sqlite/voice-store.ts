import type { Transaction } from 'kysely'
import { calendarNow } from '../../domain/calendar.ts'
import { unixSeconds } from '../../domain/ids.ts'
import type { KnownKey } from '../../ports/answer-store.ts'
import type { Idempotency } from '../../ports/idempotency.ts'
import type { StoredVoice, VoiceStatus, VoiceStore } from '../../ports/voice-store.ts'
import { insertAnswer } from './answer-store.ts'
import { LIMIT_OF_CALL, type ServiceDatabase } from './service-database.ts'
import type { Tables } from './tables.ts'
import { answerOfVoice, parametersFromColumn, rowOfVoice, voiceFromRow } from './voice-rows.ts'

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
        const answers = transaction.updateTable('answers').where('tenant', '=', tenant)
        const answer = JSON.stringify({ ...answerOfVoice(id), name, createdAt })
        await answers
          .where('answer', '=', JSON.stringify(answerOfVoice(id)))
          .set({ answer })
          .execute()
        return true
      }),
    async find(tenant, ids) {
      const found: StoredVoice[] = []
      for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
        const some = ids.slice(at, at + IDS_AT_ONCE)
        const query = database.selectFrom('voices').selectAll().where('tenant', '=', tenant).where('id', 'in', some)
        found.push(...(await query.execute()).map(voiceFromRow))
      }
      return found
    },
    async list(tenant, { status = null, after, offset = 0, limit }) {
      const rows =
        after === undefined
          ? page(tenant, status, limit, offset)
          : pageAfter(tenant, status, after, tenant, limit, offset)
      return rows.map(voiceFromRow)
    },
    async parametersOf(id) {
      const row = await database.selectFrom('voices').select('parameters').where('id', '=', id).executeTakeFirst()
      return row === undefined ? undefined : parametersFromColumn(row.parameters)
    },
  }
}

const NEW: KnownKey = { outcome: 'new' }

function takeKey(
  transaction: Transaction<Tables>,
  { tenant, id }: Pick<StoredVoice, 'tenant' | 'id'>,
  idempotency: Idempotency,
): Promise<KnownKey> {
  return insertAnswer(transaction, { tenant, idempotency, answer: answerOfVoice(id), now: calendarNow() })
}
