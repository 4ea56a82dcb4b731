import { type Compilable, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { type Expiry, nextAfter } from '../../ports/expiry.ts'
import type { CommonTables, KeyTables } from './tables.ts'

/** Tables that have one store for every database. */
export type SharedTables = Pick<
  CommonTables,
  'responses' | 'files' | 'idempotency_keys' | 'voices' | 'webhooks' | 'audit' | keyof KeyTables
>

/** A value that a database stores and that a query compares. */
export type SqlValue = string | number | null

/** Stands for a value of a call in a query of {@link SharedDatabase.read}. */
export type Given<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>

/** What the shared stores need of a database: its tables, and the few things that differ between databases. */
export interface SharedDatabase {
  readonly tables: Kysely<SharedTables>
  /** The time in milliseconds since 1970, as an SQL expression. In a cluster it is the clock of the database. */
  readonly now: () => RawBuilder<number>
  /**
   * Makes transactions with the key run one after another, until the transaction ends. A database with a single writer
   * has nothing to do.
   */
  readonly lockKey: (transaction: Transaction<SharedTables>, tenant: string, key: string) => Promise<void>
  /**
   * Defines a query that many requests run. SQLite compiles and prepares it once.
   * @param build Makes the query. `given` stands for a value of the call, by its name.
   * @returns A function that runs the query with the values of a call, and returns its rows. It sees committed data. A
   * database in this process returns them at once, without a promise.
   */
  readonly read: <Values extends Readonly<Record<string, SqlValue>>, Row>(
    build: (given: Given<Values>) => Query<Row>,
  ) => (values: Values) => readonly Row[] | Promise<readonly Row[]>
}

/** A query that can be compiled now and run later. */
export interface Query<Row> extends Compilable<Row> {
  execute(): Promise<Row[]>
}

/** Returns where the batch after one begins that has deleted rows of these ages, see {@link nextAfter}. */
export function nextOf(expiry: Expiry, ages: readonly number[]): number | undefined {
  const last = ages.length === 0 ? null : ages.reduce((one, other) => Math.max(one, other))
  return nextAfter(expiry, { found: ages.length, last, count: ages.length })
}

/** Ids in one query. SQLite accepts 32,766 variables in a statement. */
const IDS_AT_ONCE = 1000

/** Runs a query for any number of ids. */
export async function inChunks<Row>(
  ids: readonly string[],
  query: (some: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    found.push(...(await query(ids.slice(from, from + IDS_AT_ONCE))))
  }
  return found
}

/**
 * A limit for {@link SharedDatabase.read}. SQLite plans for a limit that is a plain value, so each call would prepare
 * the statement again, at ten times the cost. SQLite does not plan for a sum.
 */
export function limitOf(given: Given<{ readonly limit: number }>): RawBuilder<number> {
  return sql<number>`${given('limit')} + 0`
}
