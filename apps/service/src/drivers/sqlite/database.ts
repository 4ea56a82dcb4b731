import Sqlite from 'better-sqlite3'
import { type Generated, Kysely, SqliteDialect } from 'kysely'
import { VOICE_MIGRATION, type VoiceTable } from './voice-table.ts'

/** Tables of the database. JSON is kept as text; times are Unix seconds. */
export interface Tables {
  readonly api_keys: { readonly hash: string; readonly tenant: string; readonly created_at: number }
  readonly secrets: { readonly name: string; readonly value: string }
  readonly tasks: {
    readonly sequence: Generated<number>
    readonly id: string
    readonly tenant: string
    readonly kind: string
    status: string
    readonly model: string
    readonly created_at: number
    updated_at: number
    result: string | null
    error: string | null
  }
  readonly voices: VoiceTable
}

/** Steps from an empty file to today's tables. A step that has been released never changes; `user_version` counts them. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE api_keys (hash TEXT PRIMARY KEY, tenant TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
   CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
   CREATE TABLE tasks (
     sequence INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     tenant TEXT NOT NULL,
     kind TEXT NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('PENDING', 'PROCESSING', 'SUCCESS', 'FAILED')),
     model TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL,
     result TEXT,
     error TEXT
   ) STRICT;
   CREATE INDEX tasks_unfinished ON tasks (status) WHERE status IN ('PENDING', 'PROCESSING');`,
  VOICE_MIGRATION,
]

/**
 * Opens the database, making or upgrading it. Write-ahead log with full synchronization: what was acknowledged survives
 * a power cut.
 * @throws Error when the file was written by a newer version
 */
export function openDatabase(path: string): Kysely<Tables> {
  const database = new Sqlite(path)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('busy_timeout = 5000')
  const version = Number(database.pragma('user_version', { simple: true }))
  if (version > MIGRATIONS.length) {
    database.close()
    throw new Error(`${path} was written by a newer version of this service`)
  }
  for (const [index, step] of MIGRATIONS.entries()) {
    if (index < version) continue
    database.transaction(() => {
      database.exec(step)
      database.pragma(`user_version = ${index + 1}`)
    })()
  }
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
}
