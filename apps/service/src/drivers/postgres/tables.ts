import type { Generated } from 'kysely'
import type { TaskKind } from '../../ports/task-store.ts'
import type { CommonTables } from '../sql/tables.ts'

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
