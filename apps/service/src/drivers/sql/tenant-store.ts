import { type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import type { TenantStore, TenantSummary } from '../../ports/tenant-store.ts'
import { webhookSecretName } from './secret-store.ts'

/** Tasks that one transaction deletes, with everything that depends on them. */
const TASKS_AT_ONCE = 500

/** Tables with rows of tenants and few of them for each, besides tasks and their dependents. */
const OWN_TABLES = [
  'idempotency_keys',
  'responses',
  'files',
  'voices',
  'usage',
  'shares',
  'webhook_receivers',
  'webhook_lanes',
  'api_keys',
]

/** What differs between the databases. */
export interface TenantStoreParts {
  /** Prefix of every table, with its dot. @default none */
  readonly schema?: string
  /** Other tables with rows of tenants. @default none */
  readonly more?: readonly string[]
  /** The number of a new turn of a tenant, as an SQL expression. */
  readonly nextTurn: string
  /** What the tenant of the last claim of a work class had spent before it, as an SQL expression over `work_classes`. */
  readonly reached: string
}

/** The parts of SQLite. */
export const SQLITE_TENANTS: TenantStoreParts = {
  nextTurn: '(SELECT coalesce(max(turn), 0) + 1 FROM shares)',
  reached: 'reached',
}

/** The tenants over the tables of any database. Every transaction starts with a write. */
export function createTenantStore<DB>(database: Kysely<DB>, parts: TenantStoreParts): TenantStore {
  const { schema = '', more = [], nextTurn, reached } = parts
  const table = (name: string) => sql.raw(`${schema}${name}`)
  const list = async (): Promise<readonly TenantSummary[]> => {
    const summaries = new Map<string, TenantSummary>()
    for (const [name, read] of SOURCES) {
      const { rows } = await read(table(name)).execute(database)
      for (const { tenant, ...found } of rows) {
        if (tenant === '') continue
        const counts = Object.fromEntries(Object.entries(found).map(([key, value]) => [key, Number(value)]))
        summaries.set(tenant, { ...(summaries.get(tenant) ?? emptySummary(tenant)), ...viewCounts(counts) })
      }
    }
    return [...summaries.values()].toSorted((a, b) => (a.tenant < b.tenant ? -1 : 1))
  }
  return {
    list,
    names: async () => (await list()).map(({ tenant }) => tenant),
    has: async (tenant) => (await list()).some((one) => one.tenant === tenant),
    async paused() {
      const { rows } = await sql<{ tenant: string }>`
        SELECT DISTINCT tenant FROM ${table('shares')} WHERE paused`.execute(database)
      return new Set(rows.map(({ tenant }) => tenant))
    },
    async pause(tenant, paused) {
      const change = paused
        ? sql`INSERT INTO ${table('shares')} (tenant, work_class, spent, turn, paused)
            SELECT ${tenant}, work_class, ${sql.raw(reached)}, ${sql.raw(nextTurn)}, true FROM ${table('work_classes')} WHERE true
            ON CONFLICT (tenant, work_class) DO UPDATE SET paused = true`
        : sql`UPDATE ${table('shares')} SET paused = false WHERE tenant = ${tenant} AND paused`
      await change.execute(database)
    },
    deleteRows: (tenant) =>
      database.transaction().execute(async (transaction) => {
        const some = sql`(SELECT id FROM ${table('tasks')} WHERE tenant = ${tenant} ORDER BY sequence LIMIT ${sql.lit(TASKS_AT_ONCE)})`
        // Jobs first, as workers lock them. The rest follows its task.
        await sql`DELETE FROM ${table('jobs')} WHERE task_id IN ${some}`.execute(transaction)
        let count = await deleted(transaction, sql`DELETE FROM ${table('tasks')} WHERE id IN ${some}`)
        for (const name of [...OWN_TABLES, ...more]) {
          count += await deleted(transaction, sql`DELETE FROM ${table(name)} WHERE tenant = ${tenant}`)
        }
        const secret = webhookSecretName(tenant)
        const former = sql`substr(name, 1, ${sql.lit(secret.length + 1)}) = ${`${secret}#`}`
        return (
          count + (await deleted(transaction, sql`DELETE FROM ${table('secrets')} WHERE name = ${secret} OR ${former}`))
        )
      }),
    async forget(tenant) {
      await sql`DELETE FROM ${table('suspensions')} WHERE tenant = ${tenant}`.execute(database)
      if (schema === '') return
      await sql`DELETE FROM ${table('stored_bytes')} WHERE tenant = ${tenant} AND bytes = 0`.execute(database)
    },
  }
}

async function deleted(database: QueryExecutorProvider, statement: ReturnType<typeof sql>): Promise<number> {
  const { numAffectedRows = 0n } = await statement.execute(database)
  return Number(numAffectedRows)
}

type Table = ReturnType<typeof sql.raw>

/** Counts of a tenant. PostgreSQL returns sums as text. */
interface CountRow {
  readonly tenant: string
  readonly keys?: number | string
  readonly suspended?: number | string
  readonly paused?: number | string
  readonly open?: number | string
  readonly tasks?: number | string
  readonly files?: number | string
  readonly voices?: number | string
  readonly bytes?: number | string
}

const named = (table: Table) => sql<CountRow>`SELECT DISTINCT tenant FROM ${table}`

/** Where tenants are named, and what is counted there. */
const SOURCES: readonly (readonly [string, (table: Table) => ReturnType<typeof named>])[] = [
  ['usage', named],
  ['responses', named],
  ['idempotency_keys', named],
  ['api_keys', (table) => sql<CountRow>`SELECT tenant, count(*) AS keys FROM ${table} GROUP BY tenant`],
  ['suspensions', (table) => sql<CountRow>`SELECT tenant, 1 AS suspended FROM ${table}`],
  ['shares', (table) => sql<CountRow>`SELECT DISTINCT tenant, 1 AS paused FROM ${table} WHERE paused`],
  ['jobs', (table) => sql<CountRow>`SELECT tenant, count(*) AS open FROM ${table} GROUP BY tenant`],
  ['tasks', (table) => sql<CountRow>`SELECT tenant, count(*) AS tasks FROM ${table} GROUP BY tenant`],
  ['files', (table) => sql<CountRow>`SELECT tenant, count(*) AS files FROM ${table} GROUP BY tenant`],
  ['voices', (table) => sql<CountRow>`SELECT tenant, count(*) AS voices FROM ${table} GROUP BY tenant`],
  ['objects', (table) => sql<CountRow>`SELECT tenant, sum(bytes) AS bytes FROM ${table} GROUP BY tenant`],
]

function emptySummary(tenant: string): TenantSummary {
  const none = { keys: 0, openTasks: 0, tasks: 0, files: 0, voices: 0, storedBytes: 0 }
  return { tenant, suspended: false, paused: false, ...none }
}

function viewCounts(counts: Readonly<Record<string, number>>): Partial<TenantSummary> {
  const { suspended, paused, open, bytes, ...same } = counts
  return {
    ...same,
    ...(suspended === undefined ? {} : { suspended: true }),
    ...(paused === undefined ? {} : { paused: true }),
    ...(open === undefined ? {} : { openTasks: open }),
    ...(bytes === undefined ? {} : { storedBytes: bytes }),
  }
}
