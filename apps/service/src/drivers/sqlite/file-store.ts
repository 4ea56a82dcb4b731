import { calendarNow } from '../../domain/calendar.ts'
import type { Transaction } from 'kysely'
import type { FileAcceptance, FileStore, NewFile } from '../../ports/file-store.ts'
import { fileFromRow } from './file-rows.ts'
import { insertAnswer } from './answer-store.ts'
import { insertKey } from './idempotency-keys.ts'
import { LIMIT_OF_CALL, type ServiceDatabase } from './service-database.ts'
import type { Tables } from './tables.ts'

/**
 * Files in SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function createFileStore(database: ServiceDatabase, now: () => number = calendarNow): FileStore {
  const page = database.prepared(
    database
      .selectFrom('files')
      .selectAll()
      .where('tenant', '=', '')
      .where((is) => is('purpose', '=', is.fn.coalesce(is.val(''), 'purpose')))
      .orderBy('sequence', 'desc')
      .limit(LIMIT_OF_CALL)
      .offset(0),
  )
  return {
    accept: (file) => database.transaction().execute((transaction) => acceptFile(transaction, file, now())),
    async find(tenant, id) {
      const query = database.selectFrom('files').selectAll().where('id', '=', id).where('tenant', '=', tenant)
      const row = await query.executeTakeFirst()
      return row === undefined ? undefined : fileFromRow(row)
    },
    list: async (tenant, { limit, offset, purpose = null }) => page(tenant, purpose, limit, offset).map(fileFromRow),
    delete: (tenant, id) => database.transaction().execute((transaction) => deleteFile(transaction, tenant, id, now())),
    async forget(before) {
      const query = database.deleteFrom('files').where('created_at', '<', Math.floor(before / 1000))
      return (await query.returning('id').execute()).map(({ id }) => id)
    },
    async known(ids) {
      const known = new Set<string>()
      // SQLite accepts 32766 variables in a statement.
      for (let from = 0; from < ids.length; from += 1000) {
        const some = ids.slice(from, from + 1000)
        const rows = await database.selectFrom('files').select('id').where('id', 'in', some).execute()
        for (const { id } of rows) known.add(id)
      }
      return known
    },
  }
}

async function acceptFile(transaction: Transaction<Tables>, file: NewFile, now: number): Promise<FileAcceptance> {
  const before = await takeKey(transaction, file)
  if (before !== undefined) return before
  const { id, tenant, filename, purpose, bytes } = file
  const createdAt = Math.floor(now / 1000)
  await transaction
    .insertInto('files')
    .values({ id, tenant, filename, purpose, bytes, created_at: createdAt })
    .execute()
  return { outcome: 'accepted', file: { id, tenant, filename, purpose, bytes, createdAt } }
}

/** Records the key. For a key that is already recorded, returns its outcome. */
async function takeKey(
  transaction: Transaction<Tables>,
  { id, tenant, idempotency }: NewFile,
): Promise<FileAcceptance | undefined> {
  if (idempotency === undefined || (await insertKey(transaction, { tenant, idempotency, file: id }))) return undefined
  const row = await transaction
    .selectFrom('idempotency_keys')
    .innerJoin('files', 'files.id', 'idempotency_keys.file_id')
    .selectAll('files')
    .where('idempotency_keys.tenant', '=', tenant)
    .where('key', '=', idempotency.key)
    .where('fingerprint', '=', idempotency.fingerprint)
    .executeTakeFirst()
  return row === undefined ? { outcome: 'conflict' } : { outcome: 'repeated', file: fileFromRow(row) }
}

/** Turns the key into an answer, so that a late repetition of the upload does not restore the file. */
async function deleteFile(transaction: Transaction<Tables>, tenant: string, id: string, now: number): Promise<boolean> {
  const [key] = await transaction
    .deleteFrom('idempotency_keys')
    .where('file_id', '=', id)
    .where('tenant', '=', tenant)
    .returning(['key', 'fingerprint'])
    .execute()
  const query = transaction.deleteFrom('files').where('id', '=', id).where('tenant', '=', tenant)
  const row = await query.returningAll().executeTakeFirst()
  if (row === undefined) return false
  if (key === undefined) return true
  const { id: file, filename, purpose, bytes, createdAt } = fileFromRow(row)
  const answer = { file, filename, purpose, bytes, createdAt }
  await insertAnswer(transaction, { tenant, idempotency: key, answer, now })
  return true
}
