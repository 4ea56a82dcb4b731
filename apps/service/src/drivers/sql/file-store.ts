import { type Selectable, sql, type Transaction } from 'kysely'
import type { FileAcceptance, FileStore, NewFile, UploadedFile } from '../../ports/file-store.ts'
import type { Expired, Expiry } from '../../ports/expiry.ts'
import { insertKey, insertResponse } from './response-store.ts'
import { type Given, inChunks, limitOf, nextOf, type SharedDatabase, type SharedTables } from './shared-database.ts'
import type { CommonTables } from './tables.ts'

/** The values of a page of files. */
type PageValues = Readonly<Record<'tenant', string>> &
  Readonly<Record<'limit' | 'offset', number>> & { readonly purpose: string | null }

/** Files in a database. */
export function createFileStore(database: SharedDatabase): FileStore {
  const { tables } = database
  const page = database.read((given: Given<PageValues>) =>
    tables
      .selectFrom('files')
      .selectAll()
      .where('tenant', '=', given('tenant'))
      .where((is) => is('purpose', '=', is.fn.coalesce(given('purpose'), 'purpose')))
      .orderBy('sequence', 'desc')
      .limit(limitOf(given))
      .offset(given('offset')),
  )
  return {
    accept: (file) => tables.transaction().execute((transaction) => acceptFile(database, transaction, file)),
    async find(tenant, id) {
      const query = tables.selectFrom('files').selectAll().where('id', '=', id).where('tenant', '=', tenant)
      const row = await query.executeTakeFirst()
      return row === undefined ? undefined : fileFromRow(row)
    },
    async list(tenant, { limit, offset, purpose = null }) {
      return (await page({ tenant, limit, offset, purpose })).map(fileFromRow)
    },
    delete: (tenant, id) =>
      tables.transaction().execute((transaction) => deleteFile(database, transaction, tenant, id)),
    forget: (expiry) => tables.transaction().execute((transaction) => forgetFiles(transaction, expiry)),
    async known(ids) {
      const rows = await inChunks(ids, (some) =>
        tables.selectFrom('files').select('id').where('id', 'in', some).execute(),
      )
      return new Set(rows.map(({ id }) => id))
    },
  }
}

async function acceptFile(
  { now, lockKey }: SharedDatabase,
  transaction: Transaction<SharedTables>,
  file: NewFile,
): Promise<FileAcceptance> {
  const { id, tenant, filename, purpose, bytes, idempotency } = file
  if (idempotency !== undefined) {
    await lockKey(transaction, tenant, idempotency.key)
    if (!(await insertKey(transaction, { tenant, idempotency, file: id }))) return ofKnownKey(transaction, file)
  }
  const row = await transaction
    .insertInto('files')
    .values({ id, tenant, filename, purpose, bytes, created_at: sql<number>`CAST(${now()} / 1000 AS bigint)` })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { outcome: 'accepted', file: fileFromRow(row) }
}

/** Deletes the oldest files. */
async function forgetFiles(transaction: Transaction<SharedTables>, expiry: Expiry): Promise<Expired> {
  const { before, limit, from = 0 } = expiry
  const old = transaction
    .selectFrom('files')
    .select('id')
    .where('created_at', '>=', from)
    .where('created_at', '<', Math.floor(before / 1000))
    .orderBy('created_at')
    .limit(limit)
  // Keys first, as the deletion of one file: of two transactions, none then waits for the other in a circle.
  await transaction.deleteFrom('idempotency_keys').where('file_id', 'in', old).execute()
  const rows = await transaction.deleteFrom('files').where('id', 'in', old).returning(['id', 'created_at']).execute()
  const next = nextOf(
    expiry,
    rows.map((row) => row.created_at),
  )
  return { count: rows.length, objects: rows.map(({ id }) => id), next }
}

/** The outcome of a key that is already recorded. */
async function ofKnownKey(
  transaction: Transaction<SharedTables>,
  { tenant, idempotency }: NewFile,
): Promise<FileAcceptance> {
  const row = await transaction
    .selectFrom('idempotency_keys')
    .innerJoin('files', 'files.id', 'idempotency_keys.file_id')
    .selectAll('files')
    .where('idempotency_keys.tenant', '=', tenant)
    .where('key', '=', idempotency?.key ?? '')
    .where('fingerprint', '=', idempotency?.fingerprint ?? '')
    .executeTakeFirst()
  return row === undefined ? { outcome: 'conflict' } : { outcome: 'repeated', file: fileFromRow(row) }
}

/** Turns the key into a response, so that a late repetition of the upload does not restore the file. */
async function deleteFile(
  database: SharedDatabase,
  transaction: Transaction<SharedTables>,
  tenant: string,
  id: string,
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
  const response = { file, filename, purpose, bytes, createdAt }
  await insertResponse(database, transaction, { tenant, idempotency: key, response })
  return true
}

/** Reads a file from its row. */
function fileFromRow(row: Selectable<CommonTables['files']>): UploadedFile {
  const { id, tenant, filename, purpose, bytes, created_at: createdAt } = row
  return { id, tenant, filename, purpose, bytes, createdAt }
}
