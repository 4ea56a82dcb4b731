import {
  type Dialect,
  type Generated,
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  PostgresDialect,
  type PrimitiveValueListNode,
  type QueryResult,
  type RawBuilder,
  type RootOperationNode,
  sql,
  type Transaction,
  type UnknownRow,
  type ValueNode,
  WithSchemaPlugin,
} from 'kysely'
import type { TaskKind } from '../../ports/task-store.ts'
import type { SharedDatabase, SharedTables } from '../sql/shared-database.ts'
import type { CommonTables } from '../sql/tables.ts'
import { createPool, type PostgresOptions } from './pool.ts'

/** Schema of all tables and functions. The service can share a database with other programs. */
export const SCHEMA = 'svc_audio'

/** Tables of the database that queries of kysely name. */
export interface PostgresTables extends CommonTables {
  /** Work to do: a row for each task that has not ended. */
  readonly jobs: {
    readonly sequence: Generated<number>
    readonly task_id: string
    readonly tenant: string
    readonly kind: TaskKind
    /** Null for a stream. */
    readonly request: string | null
    readonly input: string | null
    token: number
    attempts: number
    due_ms: number
    lease_ms: number | null
    readonly created_ms: number
    /** Estimated processor time, in milliseconds. */
    readonly cost: number
  }
  /** Idempotency keys of requests in flight on any machine. */
  readonly keys_in_flight: {
    readonly tenant: string
    readonly key: string
    readonly fingerprint: string
    readonly holder: string
    until_ms: number
  }
  /** When work that only one process does at a time ended last. */
  readonly exclusive_work: { readonly name: string; ended_ms: number }
  /** Requests of a key in its current minute. */
  readonly request_counts: { readonly key: string; amount: number; until_ms: number }
}

/** The database of a cluster. */
export type PostgresDatabase = Kysely<PostgresTables>

/** Opens connections to PostgreSQL as they are needed. Checks nothing yet. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresDatabase> {
  return overDialect(new PostgresDialect({ pool: await createPool(options) }))
}

/** The tables over any dialect of PostgreSQL. */
export function overDialect(dialect: Dialect): PostgresDatabase {
  return new Kysely<PostgresTables>({ dialect, plugins: [new WithSchemaPlugin(SCHEMA), new WithoutNulPlugin()] })
}

/** Gives the time in milliseconds since 1970. @default the clock of the database, which all machines share */
export type Now = () => number

/** The time as an SQL expression. */
export function timeOf(now: Now | undefined): RawBuilder<number> {
  return now === undefined ? sql<number>`svc_audio.now_ms()` : sql<number>`${now()}::bigint`
}

/** The time for a function of the database, which uses its own clock for null. */
export function momentOf(now: Now | undefined): number | null {
  return now === undefined ? null : now()
}

/** The shared stores' view of PostgreSQL. */
export function sharePostgres(database: PostgresDatabase, now?: Now): SharedDatabase {
  return {
    tables: database.$pickTables<keyof SharedTables>(),
    now: () => timeOf(now),
    lockKey: (transaction, tenant, key) => lockSubject(transaction, 'key', tenant, key),
    read: (build) => (values) => build((name) => sql`${values[name]}`).execute(),
  }
}

/** Makes the transactions of one subject run one after another. The lock ends with the transaction. */
export async function lockSubject(
  transaction: Transaction<PostgresTables>,
  kind: 'key' | 'open tasks',
  ...subject: readonly string[]
): Promise<void> {
  const name = JSON.stringify(['svc_audio', kind, ...subject])
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction)
}

/** Replaces U+0000 in all values of a query, because PostgreSQL stores every character but this one. */
class WithoutNulPlugin implements KyselyPlugin {
  readonly #transformer = new ValueTransformer()

  transformQuery({ node }: { readonly node: RootOperationNode }): RootOperationNode {
    return this.#transformer.transformNode(node)
  }

  async transformResult({ result }: { readonly result: QueryResult<UnknownRow> }): Promise<QueryResult<UnknownRow>> {
    return result
  }
}

class ValueTransformer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...node, value: withoutNul(node.value) }
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...node, values: node.values.map(withoutNul) }
  }
}

function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul)
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}
