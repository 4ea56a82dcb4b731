import { type RawBuilder, sql } from 'kysely'
import type { CappedCount, TenantStore, TenantSummary } from '../../ports/tenant-store.ts'
import { mostCounted } from '../../ports/tenant-store.ts'
import { createTenantStore, type TenantStoreParts } from '../sql/tenant-store.ts'
import { type PostgresDatabase, SCHEMA } from './database.ts'
import { useIndexes } from './queue-reads.ts'

/** The parts of PostgreSQL. */
const PARTS: TenantStoreParts = {
  schema: `${SCHEMA}.`,
  more: ['keys_in_flight'],
  nextTurn: "nextval('svc_audio.turn')",
  reached: 'svc_audio.reached_in(work_class)',
}

/** Tables with an index that begins with the tenant. Every row of another table has a tenant that is in one of them. */
const NAMED = [
  'tasks',
  'usage',
  'responses',
  'idempotency_keys',
  'files',
  'voices',
  'stored_bytes',
  'shares',
  'suspensions',
] as const

/**
 * Tenants in PostgreSQL. No query reads a whole table: names are read by steps through indexes, and rows are counted up to
 * {@link mostCounted}.
 */
export function createPostgresTenants(database: PostgresDatabase): TenantStore {
  return {
    ...createTenantStore(database, PARTS),
    names: () => readNames(database),
    async has(tenant) {
      const found = [...NAMED, 'api_keys'].map(
        (name) => sql`EXISTS (SELECT FROM ${sql.table(`${SCHEMA}.${name}`)} WHERE tenant = ${tenant})`,
      )
      const { rows } = await sql<{ found: boolean }>`SELECT ${sql.join(found, sql` OR `)} AS found`.execute(database)
      return rows[0]?.found === true
    },
    list: () => listTenants(database),
  }
}

/** Reads each name once, by a step through an index for each. */
async function readNames(database: PostgresDatabase): Promise<readonly string[]> {
  return database.transaction().execute(async (transaction) => {
    await useIndexes(transaction)
    const names = new Set<string>()
    for (const table of NAMED) {
      const rows = sql.table(`${SCHEMA}.${table}`)
      const found = await sql<{ tenant: string }>`
        WITH RECURSIVE names AS (
          (SELECT tenant FROM ${rows} ORDER BY tenant LIMIT 1)
          UNION ALL
          SELECT (SELECT t.tenant FROM ${rows} AS t WHERE t.tenant > names.tenant ORDER BY t.tenant LIMIT 1)
          FROM names WHERE names.tenant IS NOT NULL
        ) SELECT tenant FROM names WHERE tenant IS NOT NULL`.execute(transaction)
      for (const { tenant } of found.rows) names.add(tenant)
    }
    const keys = await sql<{ tenant: string }>`SELECT DISTINCT tenant FROM svc_audio.api_keys`.execute(transaction)
    for (const { tenant } of keys.rows) names.add(tenant)
    names.delete('')
    return [...names].toSorted()
  })
}

interface SummaryRow extends Readonly<Record<CappedCount | 'keys' | 'storedBytes', number>> {
  readonly tenant: string
  readonly suspended: boolean
  readonly paused: boolean
}

async function listTenants(database: PostgresDatabase): Promise<readonly TenantSummary[]> {
  const names = await readNames(database)
  const most = mostCounted(names.length)
  const upTo = (from: string): RawBuilder<number> =>
    sql`(SELECT count(*) FROM (SELECT FROM ${sql.raw(from)} LIMIT ${sql.lit(most + 1)}) AS counted)`
  const own = (table: string): RawBuilder<number> => upTo(`svc_audio.${table} AS t WHERE t.tenant = n.tenant`)
  const { rows } = await database.transaction().execute(async (transaction) => {
    await useIndexes(transaction)
    return sql<SummaryRow>`
      SELECT n.tenant, ${own('tasks')} AS tasks, ${own('files')} AS files, ${own('voices')} AS voices,
        ${upTo('svc_audio.jobs AS j WHERE j.tenant = n.tenant AND j.lease_ms IS NULL')}
          + ${upTo('svc_audio.jobs AS j WHERE j.tenant = n.tenant AND j.lease_ms IS NOT NULL')} AS "openTasks",
        (SELECT count(*) FROM svc_audio.api_keys AS k WHERE k.tenant = n.tenant) AS keys,
        coalesce((SELECT bytes FROM svc_audio.stored_bytes AS b WHERE b.tenant = n.tenant), 0) AS "storedBytes",
        EXISTS (SELECT FROM svc_audio.suspensions AS s WHERE s.tenant = n.tenant) AS suspended,
        EXISTS (SELECT FROM svc_audio.shares AS s WHERE s.tenant = n.tenant AND s.paused) AS paused
      FROM unnest(${[...names]}::text[]) AS n(tenant)`.execute(transaction)
  })
  return rows.map((row) => viewSummary(row, most))
}

const CAPPED: readonly CappedCount[] = ['openTasks', 'tasks', 'files', 'voices']

function viewSummary(row: SummaryRow, most: number): TenantSummary {
  const atLeast = CAPPED.filter((name) => row[name] > most)
  const count = (name: CappedCount): number => Math.min(row[name], most)
  const { tenant, keys, suspended, paused, storedBytes } = row
  return {
    tenant,
    keys,
    suspended,
    paused,
    openTasks: count('openTasks'),
    tasks: count('tasks'),
    files: count('files'),
    voices: count('voices'),
    storedBytes,
    ...(atLeast.length === 0 ? {} : { atLeast }),
  }
}
