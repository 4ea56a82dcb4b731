import type { Generated } from 'kysely'
import type { TaskKind } from '../../ports/task-store.ts'
import type { AuditTables } from '../sql/audit-table.ts'
import type { KeyTables } from '../sql/key-tables.ts'
import type { Tables } from '../sqlite/tables.ts'
import type { UsageTables } from '../sql/usage-tables.ts'

/** Schema of all tables and functions. The service can share a database with other programs. */
export const SCHEMA = 'svc_audio'

/** Tables with the same columns in SQLite. */
type SharedTable =
  | 'tasks'
  | 'idempotency_keys'
  | 'answers'
  | 'files'
  | 'webhooks'
  | 'voices'
  | 'objects'
  | 'failed_requests'

/**
 * Tables of the database. JSON is stored as text: `jsonb` refuses some characters of a client's text. Times are Unix
 * seconds, or milliseconds where the name says so.
 */
export interface PostgresTables extends KeyTables, AuditTables, UsageTables, Pick<Tables, SharedTable> {
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
    readonly cost: Generated<number>
  }
  /** What each tenant's claimed tasks cost, and its last turn. */
  readonly shares: Tables['shares']
  /** Sums of `objects`, made by the database. */
  readonly stored_bytes: { readonly tenant: string; readonly bytes: number }
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
