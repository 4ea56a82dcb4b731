import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { errorCode } from '../../domain/error-code.ts'
import { DatabaseUnavailableError, SchemaError } from '../../domain/errors.ts'
import { sumOf } from '../sql/tables.ts'
import type { PostgresDatabase, PostgresTables } from './database.ts'

/** A step from one version of the tables to the next. A released step never changes. */
export interface Migration {
  readonly statements: readonly string[]
  /**
   * The oldest number of steps whose program still works with the tables after this step. Programs of that version run
   * during a rolling upgrade.
   */
  readonly worksWith: number
}

/** Every step, from an empty schema to the current tables. */
export const MIGRATIONS: readonly Migration[] = [
  { statements: [...readStatements('schema.sql'), ...readStatements('queue.sql')], worksWith: 1 },
]

/** Reads the statements of a file beside this one. The body of a function stands between `$$`. */
function readStatements(file: string): string[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  const statements = text.match(/(?:--.*|\$\$[^]*?\$\$|[^;$])+/g) ?? []
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

/** Versions of a database and of this program, as numbers of steps. */
export interface SchemaVersion {
  /** 0 for an empty database. */
  readonly found: number
  readonly wanted: number
}

/**
 * Makes or upgrades the tables: all missing steps in one transaction. Only one process does it at a time, and a second
 * one finds nothing left to do. Never goes back.
 * @returns The version before.
 * @throws SchemaError when the schema has other tables
 */
export async function migrate(
  database: PostgresDatabase,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<SchemaVersion> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateOnce(database, migrations)
    } catch (error) {
      if (!isLocked(error) || attempt === MOST_ATTEMPTS) throw error
      await sleep(RETRY_MS)
    }
  }
}

/**
 * Longest wait for a table, in milliseconds. Requests of the running service wait behind a step that waits: a step that
 * cannot have its table soon lets them pass, and retries.
 */
const LOCK_MS = 2000
const RETRY_MS = 1000
const MOST_ATTEMPTS = 30
const LOCK_NOT_AVAILABLE = '55P03'

function isLocked(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && errorCode(error.cause) === LOCK_NOT_AVAILABLE
}

function migrateOnce(database: PostgresDatabase, migrations: readonly Migration[]): Promise<SchemaVersion> {
  return database.transaction().execute(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('svc_audio migrate', 0))`.execute(transaction)
    const { found } = await readSchema(transaction, migrations)
    await sql`CREATE SCHEMA IF NOT EXISTS svc_audio`.execute(transaction)
    await sql`CREATE TABLE IF NOT EXISTS svc_audio.schema_steps (step integer PRIMARY KEY, sum text NOT NULL,
      works_with integer NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`.execute(transaction)
    await sql`SELECT set_config('lock_timeout', ${String(LOCK_MS)}, true), set_config('statement_timeout', '0', true)`.execute(
      transaction,
    )
    for (const [index, { statements, worksWith }] of migrations.entries()) {
      if (index < found) continue
      for (const statement of statements) await sql.raw(statement).execute(transaction)
      await sql`INSERT INTO svc_audio.schema_steps (step, sum, works_with)
        VALUES (${index + 1}, ${sumOf(statements)}, ${worksWith})`.execute(transaction)
    }
    return { found, wanted: migrations.length }
  })
}

/**
 * Checks that the tables fit this program. Tables of a newer program fit as long as that program says so: during a
 * rolling upgrade both run.
 * @throws SchemaError with the remedy
 */
export async function checkSchema(
  database: PostgresDatabase,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<SchemaVersion> {
  const { found, worksWith } = await readSchema(database, migrations)
  const wanted = migrations.length
  if (found < wanted) {
    const state = found === 0 ? 'has no tables yet' : `has the tables of an older version (${found} of ${wanted} steps)`
    throw new SchemaError(`The database of DATABASE_URL ${state}: run svc-audio-service migrate`)
  }
  if (worksWith > wanted) {
    throw new SchemaError('The database of DATABASE_URL was upgraded by a newer version: start that version')
  }
  return { found, wanted }
}

/**
 * Reads how many steps a database has.
 * @throws SchemaError when other steps, or no steps, have made its tables
 */
async function readSchema(
  database: Kysely<PostgresTables>,
  migrations: readonly Migration[],
): Promise<{ readonly found: number; readonly worksWith: number }> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace('svc_audio') AND relkind = 'r'`.execute(
    database,
  )
  if (tables.length === 0) return { found: 0, worksWith: 0 }
  const hasSteps = tables.some(({ name }) => name === 'schema_steps')
  const { rows: steps } = hasSteps
    ? await sql<StepRow>`SELECT sum, works_with FROM svc_audio.schema_steps ORDER BY step`.execute(database)
    : { rows: [] }
  const isOther = steps.some(({ sum }, index) => {
    const known = migrations[index]
    return known !== undefined && sumOf(known.statements) !== sum
  })
  if (steps.length === 0 || isOther) {
    throw new SchemaError(
      'The schema svc_audio of DATABASE_URL has tables that no step of this version makes: use an empty database, or start the version that made them',
    )
  }
  return { found: steps.length, worksWith: Math.max(...steps.map((step) => step.works_with)) }
}

interface StepRow {
  readonly sum: string
  readonly works_with: number
}
