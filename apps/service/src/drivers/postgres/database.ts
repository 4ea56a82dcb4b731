import { type Dialect, Kysely, PostgresDialect, type RawBuilder, sql, WithSchemaPlugin } from 'kysely'
import { createPool, type PostgresOptions } from './pool.ts'
import { type PostgresTables, SCHEMA } from './tables.ts'
import { WithoutNulPlugin } from './without-nul.ts'

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
