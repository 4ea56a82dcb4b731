import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type ExpiringRows, MOST_EXPIRED_COUNTED } from '../../ports/expiry.ts'
import type { StoreMetrics, StoreMetricsReader } from '../../ports/store-metrics.ts'

const Amount = z.object({ name: z.string(), amount: z.number() })

/** The columns of open work that are counted. */
interface CountedJobs {
  readonly lease_ms: number | null
  readonly created_ms: number
}

/**
 * Counts in any database.
 * @param queries Queries of the amounts, each with columns `name` and `amount`.
 * @param now The time as a value of a query, in milliseconds since 1970.
 */
export function storeMetricsOver(
  database: Kysely<{ readonly jobs: CountedJobs }>,
  queries: Readonly<Record<'tasks' | 'webhooks' | 'bytes', string>>,
  now: () => number | RawBuilder<number>,
): StoreMetricsReader {
  const amounts = async (query: string): Promise<Map<string, number>> => {
    const { rows } = await sql.raw(query).execute(database)
    return new Map(rows.map((row) => Amount.parse(row)).map(({ name, amount }) => [name, amount]))
  }
  return {
    countExpired: (before) => countExpired(database, before),
    async read(): Promise<StoreMetrics> {
      const tasks = await amounts(queries.tasks)
      const webhooks = await amounts(queries.webhooks)
      const bytes = await amounts(queries.bytes)
      const { count, oldest } = await database
        .selectFrom('jobs')
        .select((select) => [select.fn.countAll<number>().as('count'), select.fn.min('created_ms').as('oldest')])
        .where((is) => is.or([is('lease_ms', 'is', null), is('lease_ms', '<=', now())]))
        .executeTakeFirstOrThrow()
      return {
        tasks: { PENDING: of(tasks, 'PENDING'), PROCESSING: of(tasks, 'PROCESSING') },
        queued: count,
        oldestQueuedAt: count === 0 ? undefined : oldest,
        pendingWebhooks: of(webhooks, 'pending'),
        storedBytes: { uploads: of(bytes, 'uploads'), inputs: of(bytes, 'inputs'), results: of(bytes, 'results') },
      }
    },
  }
}

function of(amounts: ReadonlyMap<string, number>, name: string): number {
  return amounts.get(name) ?? 0
}

/** Counts expired rows in any database, see {@link StoreMetricsReader.countExpired}. @param schema @default none */
export async function countExpired(
  database: QueryExecutorProvider,
  before: Readonly<Record<ExpiringRows, number>>,
  schema: string = '',
): Promise<Readonly<Record<ExpiringRows, number>>> {
  const countUpTo = async (rows: RawBuilder<unknown>): Promise<number> => {
    const counted = await sql<{ count: number }>`SELECT count(*) AS count FROM (${rows}) AS counted`.execute(database)
    return counted.rows[0]?.count ?? 0
  }
  const most = sql.lit(MOST_EXPIRED_COUNTED)
  const older = (table: string, column: string, time: number): Promise<number> =>
    time === -Infinity
      ? Promise.resolve(0)
      : countUpTo(
          sql`SELECT 1 AS one FROM ${sql.table(schema + table)} WHERE ${sql.ref(column)} < ${time} LIMIT ${most}`,
        )
  const ended = schema === '' ? 'updated_at' : 'ended_at'
  const [jobs, tasks] = [sql.table(`${schema}jobs`), sql.table(`${schema}tasks`)]
  return {
    files: await older('files', 'created_at', Math.floor(before.files / 1000)),
    // Jobs are in the order of their acceptance, and no index has their ages.
    inputs: await countUpTo(sql`SELECT 1 AS one FROM (
          SELECT created_ms, input FROM ${jobs} ORDER BY sequence LIMIT ${most}
        ) AS oldest WHERE created_ms < ${before.inputs} AND input IS NOT NULL`),
    requests: await older('failed_requests', 'failed_ms', before.requests),
    responses: await older('responses', 'stored_ms', before.responses),
    tasks: await countUpTo(sql`SELECT 1 AS one FROM ${tasks}
          WHERE status IN ('SUCCESS', 'FAILED') AND ${sql.ref(ended)} < ${Math.floor(before.tasks / 1000)} LIMIT ${most}`),
  }
}
