import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { errorCode } from '../../domain/error-code.ts'
import { DatabaseUnavailableError, SchemaError } from '../../domain/errors.ts'
import type { PostgresDatabase } from './database.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

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
 * @throws SchemaError when a newer program has made changes that this program does not know
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
    await sql`CREATE SCHEMA IF NOT EXISTS svc_audio`.execute(transaction)
    await sql`CREATE TABLE IF NOT EXISTS svc_audio.migrations (
      step integer PRIMARY KEY, works_with integer NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`.execute(
      transaction,
    )
    await sql`SELECT set_config('lock_timeout', ${String(LOCK_MS)}, true), set_config('statement_timeout', '0', true)`.execute(
      transaction,
    )
    const { step: found } = await newest(transaction)
    for (const [index, { statements, worksWith }] of migrations.entries()) {
      if (index < found) continue
      for (const statement of statements) await sql.raw(statement).execute(transaction)
      await sql`INSERT INTO svc_audio.migrations (step, works_with) VALUES (${index + 1}, ${worksWith})`.execute(
        transaction,
      )
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
  const { rows } = await sql<{ exists: boolean }>`
    SELECT to_regclass('svc_audio.migrations') IS NOT NULL AS exists`.execute(database)
  const { step: found, works_with: worksWith } =
    rows[0]?.exists === true ? await newest(database) : { step: 0, works_with: 0 }
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

async function newest(database: PostgresDatabase): Promise<{ readonly step: number; readonly works_with: number }> {
  const { rows } = await sql<{ step: number; works_with: number }>`
    SELECT coalesce(max(step), 0)::integer AS step, coalesce(max(works_with), 0)::integer AS works_with
    FROM svc_audio.migrations`.execute(database)
  return rows[0] ?? { step: 0, works_with: 0 }
}
