import type { Insertable, Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import { unixSeconds } from '../../domain/ids.ts'
import type { Idempotency, JsonObject, KnownKey } from '../../ports/response-store.ts'
import type { StoredVoice, VoiceStatus, VoiceStore } from '../../ports/voice-store.ts'
import { insertResponse } from './response-store.ts'
import { type Given, inChunks, limitOf, type SharedDatabase, type SharedTables } from './shared-database.ts'
import type { CommonTables } from './tables.ts'

/** The values of a page of voices. */
type PageValues = Readonly<Record<'tenant', string>> &
  Readonly<Record<'limit' | 'offset', number>> & { readonly status: VoiceStatus | null }

/** Voices in a database. */
export function createVoiceStore(database: SharedDatabase): VoiceStore {
  const { tables } = database
  const pageOf = (given: Given<PageValues>) =>
    tables
      .selectFrom('voices')
      .selectAll()
      .where('tenant', '=', given('tenant'))
      .where((is) => is('status', '=', is.fn.coalesce(given('status'), 'status')))
      .orderBy('sequence')
      .limit(limitOf(given))
      .offset(given('offset'))
  const page = database.read(pageOf)
  const pageAfter = database.read((given: Given<PageValues & { readonly after: string }>) => {
    const cursor = tables.selectFrom('voices').select('sequence').where('id', '=', given('after'))
    return pageOf(given).where('sequence', '>', cursor.where('tenant', '=', given('tenant')))
  })
  return {
    create: (voice, idempotency) =>
      tables.transaction().execute(async (transaction) => {
        const before = idempotency === undefined ? NEW : await takeKey(database, transaction, voice, idempotency)
        if (before.outcome !== 'new') return before
        const made = { ...voice, createdAt: unixSeconds() }
        await transaction.insertInto('voices').values(rowOfVoice(made)).execute()
        return { outcome: 'accepted', voice: made }
      }),
    delete: (tenant, id) => tables.transaction().execute((transaction) => deleteVoice(transaction, tenant, id)),
    async find(tenant, ids) {
      const rows = await inChunks(ids, (some) =>
        tables.selectFrom('voices').selectAll().where('tenant', '=', tenant).where('id', 'in', some).execute(),
      )
      return rows.map(voiceFromRow)
    },
    async list(tenant, { status = null, after, offset = 0, limit }) {
      const values = { tenant, status, limit, offset }
      const rows = await (after === undefined ? page(values) : pageAfter({ ...values, after }))
      return rows.map(voiceFromRow)
    },
    async parametersOf(id) {
      const row = await tables.selectFrom('voices').select('parameters').where('id', '=', id).executeTakeFirst()
      return row === undefined ? undefined : parametersFromColumn(row.parameters)
    },
  }
}

const NEW: KnownKey = { outcome: 'new' }

function takeKey(
  database: SharedDatabase,
  transaction: Transaction<SharedTables>,
  { tenant, id }: Pick<StoredVoice, 'tenant' | 'id'>,
  idempotency: Idempotency,
): Promise<KnownKey> {
  return insertResponse(database, transaction, { tenant, idempotency, response: responseOfVoice(id) })
}

/** The key stays, so that a late repetition does not restore the voice. */
async function deleteVoice(transaction: Transaction<SharedTables>, tenant: string, id: string): Promise<boolean> {
  const query = transaction.deleteFrom('voices').where('tenant', '=', tenant).where('id', '=', id)
  const row = await query.returningAll().executeTakeFirst()
  if (row === undefined) return false
  const { name, createdAt } = voiceFromRow(row)
  await transaction
    .updateTable('responses')
    .where('tenant', '=', tenant)
    .where('response', '=', JSON.stringify(responseOfVoice(id)))
    .set({ response: JSON.stringify({ ...responseOfVoice(id), name, createdAt }) })
    .execute()
  return true
}

const Parameters = z.object({
  base: z.string(),
  pitchHz: z.number(),
  rangeSemitones: z.number(),
  tempo: z.number(),
  size: z.number(),
})

/** Reads the parameters of a voice from their column. */
function parametersFromColumn(parameters: string): StoredVoice['parameters'] {
  return Parameters.parse(JSON.parse(parameters))
}

/** Reads a voice from its row. */
function voiceFromRow(row: Selectable<CommonTables['voices']>): StoredVoice {
  const { id, tenant, name, description, status, parameters, created_at: createdAt } = row
  return { id, tenant, name, description, status, parameters: parametersFromColumn(parameters), createdAt }
}

/** Makes the row of a voice. */
function rowOfVoice({ parameters, createdAt, ...rest }: StoredVoice): Insertable<CommonTables['voices']> {
  return { ...rest, parameters: JSON.stringify(parameters), created_at: createdAt }
}

/** The stored response of the request that made a voice. */
function responseOfVoice(id: string): JsonObject {
  return { voice: id }
}
