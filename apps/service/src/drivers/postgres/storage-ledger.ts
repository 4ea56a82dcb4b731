import { type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import { wallClockNow } from '../../domain/clock.ts'
import { DatabaseUnavailableError, OutcomeUnknownError } from '../../domain/errors.ts'
import { dayOf } from '../../domain/usage.ts'
import type { LedgerByRows, LedgerEntry, RowPage, StorageArea, StorageLedger } from '../../ports/storage-ledger.ts'
import { addUsage } from '../sql/usage-store.ts'
import { ledgerOver } from '../sql/storage-ledger.ts'
import { type Now, type PostgresDatabase, type PostgresTables, timeOf } from './database.ts'
import { usageSlot } from './end-task.ts'

/** The ledger in PostgreSQL. Its rows tell what can be deleted: nothing needs to list the bucket. */
export function createStorageLedger(database: PostgresDatabase, now?: Now): StorageLedger {
  const ledger = ledgerOver(database.$pickTables<'objects' | 'usage' | 'usage_batches'>(), {
    sumOf,
    enter: (entry, max) => database.transaction().execute((transaction) => enter(transaction, entry, { max, now })),
    async retain(area, names) {
      const all = [...names]
      const { rows } = await sql<{ name: string }>`
        WITH kept AS (SELECT unnest(${all}::text[]) AS name), gone AS (
          DELETE FROM svc_audio.objects WHERE area = ${area} AND NOT EXISTS (SELECT FROM kept WHERE kept.name = objects.name)
        )
        SELECT objects.name FROM svc_audio.objects JOIN kept ON kept.name = objects.name WHERE area = ${area}`.execute(
        database,
      )
      return new Set(rows.map(({ name }) => name))
    },
  })
  return {
    ...ledger,
    async strike(area, names) {
      const { rows } = await sql<{ tenant: string; bytes: number }>`
        WITH begun AS (DELETE FROM svc_audio.begun_objects WHERE area = ${area} AND name = ANY (${[...names]}::text[]))
        DELETE FROM svc_audio.objects WHERE area = ${area} AND name = ANY (${[...names]}::text[])
        RETURNING tenant, bytes`.execute(database)
      return rows
    },
    byRows: { begin: (area, name) => begin(database, { area, name }, now), ...queriesOf(database) },
  }
}

/** What {@link enter} takes besides the entry. */
interface EntryTerms {
  readonly max: number | undefined
  readonly now: Now | undefined
}

async function enter(
  transaction: Transaction<PostgresTables>,
  {
    area,
    name,
    tenant,
    bytes,
    sha256 = null,
  }: Omit<LedgerEntry, 'sha256'> & { readonly sha256?: string | null | undefined },
  { max, now }: EntryTerms,
): Promise<boolean> {
  await sql`
    WITH begun AS (DELETE FROM svc_audio.begun_objects WHERE area = ${area} AND name = ${name})
    INSERT INTO svc_audio.objects (area, name, tenant, bytes, sha256, entered_ms)
    VALUES (${area}, ${name}, ${tenant}, ${bytes}, ${sha256}, ${timeOf(now)})
    ON CONFLICT (area, name) DO UPDATE SET tenant = excluded.tenant, bytes = excluded.bytes, sha256 = excluded.sha256,
      entered_ms = excluded.entered_ms`.execute(transaction)
  if (max === undefined || (await sumOf(transaction, tenant)) <= max) {
    const day = dayOf((now ?? wallClockNow)())
    const usage = transaction.$pickTables<'usage' | 'usage_batches'>()
    await addUsage(usage, [{ tenant, day, kind: 'storage', storedBytes: bytes }], usageSlot())
    return true
  }
  await transaction.deleteFrom('objects').where('area', '=', area).where('name', '=', name).execute()
  // The object exists until its owner deletes it, and so does its note.
  await note(transaction, { area, name }, now)
  return false
}

/**
 * Notes an object that is about to be stored. A crash of the database may forget the note: the object then stays until
 * an operator deletes it.
 * @throws DatabaseUnavailableError Whether the note was stored does not matter
 */
async function begin(
  database: PostgresDatabase,
  { area, name }: Pick<LedgerEntry, 'area' | 'name'>,
  now?: Now,
): Promise<void> {
  try {
    await note(database, { area, name }, now)
  } catch (error) {
    throw error instanceof OutcomeUnknownError ? new DatabaseUnavailableError({ cause: error }) : error
  }
}

async function note(
  database: QueryExecutorProvider,
  { area, name }: Pick<LedgerEntry, 'area' | 'name'>,
  now?: Now,
): Promise<void> {
  await sql`
    WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
    INSERT INTO svc_audio.begun_objects (area, name, begun_ms)
    SELECT ${area}::text, ${name}::text, ${timeOf(now)} FROM quick
    ON CONFLICT (area, name) DO UPDATE SET begun_ms = excluded.begun_ms`.execute(database)
}

/**
 * Whether another row names the object `o`, for each area. Each is a step through an index: an `EXISTS` could become a hash
 * of the whole table.
 */
const NEEDED: Readonly<Record<StorageArea, string>> = {
  uploads: '(SELECT 1 FROM svc_audio.files AS f WHERE f.id = o.name LIMIT 1) IS NOT NULL',
  inputs: `(SELECT 1 FROM svc_audio.jobs AS j WHERE j.input IS NOT NULL AND j.input = o.name LIMIT 1) IS NOT NULL
    OR (SELECT 1 FROM svc_audio.failed_requests AS r WHERE r.input IS NOT NULL AND r.input = o.name LIMIT 1) IS NOT NULL`,
  results: `(SELECT 1 FROM svc_audio.tasks AS t
    WHERE t.result IS NOT NULL AND t.result::json ->> 'file' = o.name LIMIT 1) IS NOT NULL`,
}

function queriesOf(database: PostgresDatabase): Omit<LedgerByRows, 'begin'> {
  return {
    async find(area, name) {
      const { rows } = await sql<{ bytes: number; sha256: string | null }>`
        SELECT bytes, sha256 FROM svc_audio.objects WHERE area = ${area} AND name = ${name}`.execute(database)
      const [row] = rows
      return row && { bytes: row.bytes, sha256: row.sha256 ?? undefined }
    },
    async unfinished(area, { before, limit, after }) {
      // An object that was stored twice may have been entered by the first of both.
      const { rows } = await sql<PageRow>`
        WITH page AS MATERIALIZED (
          SELECT name FROM svc_audio.begun_objects
          WHERE area = ${area} AND begun_ms < ${before} AND name > ${after?.name ?? ''} ORDER BY name LIMIT ${limit}
        ), known AS MATERIALIZED (
          SELECT o.name FROM page JOIN svc_audio.objects AS o ON o.area = ${area} AND o.name = page.name
        ), entered AS (
          DELETE FROM svc_audio.begun_objects WHERE area = ${area} AND name IN (SELECT name FROM known)
        )
        SELECT name, 0 AS at, name NOT IN (SELECT name FROM known) AS found FROM page ORDER BY name`.execute(database)
      return pageOf(rows)
    },
    async unneeded(area, { before, limit, after }) {
      const { rows } = await sql<PageRow>`
        WITH o AS MATERIALIZED (
          SELECT name, entered_ms AS at FROM svc_audio.objects
          WHERE area = ${area} AND entered_ms < ${before} AND (entered_ms, name) > (${after?.at ?? -1}, ${after?.name ?? ''})
          ORDER BY entered_ms, name LIMIT ${limit}
        )
        SELECT name, at, NOT (${sql.raw(NEEDED[area])}) AS found FROM o ORDER BY at, name`.execute(database)
      return pageOf(rows)
    },
  }
}

/** A row of the ledger, and whether its object can be deleted. */
interface PageRow {
  readonly name: string
  readonly at: number
  readonly found: boolean
}

function pageOf(rows: readonly PageRow[]): RowPage {
  const last = rows.at(-1)
  const names = rows.flatMap(({ name, found }) => (found ? [name] : []))
  return { names, read: rows.length, ...(last === undefined ? {} : { last: { at: last.at, name: last.name } }) }
}

/** A change locks the row of the sum until the end: of several objects at once, the later ones see the earlier. */
async function sumOf(database: QueryExecutorProvider, tenant: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    SELECT bytes FROM svc_audio.stored_bytes WHERE tenant = ${tenant}`.execute(database)
  return rows[0]?.bytes ?? 0
}
