import { sql, type Transaction } from 'kysely'
import type { FileAcceptance, FileStore, NewFile } from '../../ports/file-store.ts'
import { fileFromRow } from '../sqlite/file-rows.ts'
import { insertAnswer } from './answer-store.ts'
import { type Now, type PostgresDatabase, timeOf } from './database.ts'
import { insertKey } from './idempotency-keys.ts'
import { lockSubject } from './locks.ts'
import type { PostgresTables } from './tables.ts'

/** Files in PostgreSQL. */
export function createFileStore(database: PostgresDatabase, now?: Now): FileStore {
  return {
    accept: (file) => database.transaction().execute((transaction) => acceptFile(transaction, file, now)),
    async find(tenant, id) {
      const query = database.selectFrom('files').selectAll().where('id', '=', id).where('tenant', '=', tenant)
      const row = await query.executeTakeFirst()
      return row === undefined ? undefined : fileFromRow(row)
    },
    async list(tenant, { limit, offset, purpose }) {
      const all = database.selectFrom('files').selectAll().where('tenant', '=', tenant)
      const some = purpose === undefined ? all : all.where('purpose', '=', purpose)
      return (await some.orderBy('sequence', 'desc').limit(limit).offset(offset).execute()).map(fileFromRow)
    },
    delete: (tenant, id) => database.transaction().execute((transaction) => deleteFile(transaction, tenant, id, now)),
    async forget(before) {
      const query = database.deleteFrom('files').where('created_at', '<', Math.floor(before / 1000))
      return (await query.returning('id').execute()).map(({ id }) => id)
    },
    async known(ids) {
      const query = database.selectFrom('files').select('id')
      const rows = await query.where('id', '=', sql<string>`any(${[...ids]}::text[])`).execute()
      return new Set(rows.map(({ id }) => id))
    },
  }
}

async function acceptFile(transaction: Transaction<PostgresTables>, file: NewFile, now?: Now): Promise<FileAcceptance> {
  const before = await takeKey(transaction, file)
  if (before !== undefined) return before
  const { id, tenant, filename, purpose, bytes } = file
  const row = await transaction
    .insertInto('files')
    .values({ id, tenant, filename, purpose, bytes, created_at: sql<number>`${timeOf(now)} / 1000` })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { outcome: 'accepted', file: fileFromRow(row) }
}

/** Records the key. For a key that is already recorded, returns its outcome. */
async function takeKey(
  transaction: Transaction<PostgresTables>,
  { id, tenant, idempotency }: NewFile,
): Promise<FileAcceptance | undefined> {
  if (idempotency === undefined) return undefined
  await lockSubject(transaction, 'key', tenant, idempotency.key)
  if (await insertKey(transaction, { tenant, idempotency, file: id })) return undefined
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
async function deleteFile(
  transaction: Transaction<PostgresTables>,
  tenant: string,
  id: string,
  now?: Now,
): Promise<boolean> {
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
  await insertAnswer(transaction, { tenant, idempotency: key, answer }, now)
  return true
}
