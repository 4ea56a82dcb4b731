import type { Generated } from 'kysely'
import type { TaskKind, TaskStatus } from '../../ports/task-store.ts'
import type { VoiceStatus } from '../../ports/voice-store.ts'
import type { WebhookStatus } from '../../ports/webhook-outbox.ts'
import type { KeyTables } from '../sqlite/key-tables.ts'

/** Schema of all tables and functions. The service can share a database with other programs. */
export const SCHEMA = 'svc_audio'

/**
 * Tables of the database. JSON is stored as text: `jsonb` refuses some characters of a client's text. Times are Unix
 * seconds, or milliseconds where the name says so.
 */
export interface PostgresTables extends KeyTables {
  readonly tasks: {
    readonly sequence: Generated<number>
    readonly id: string
    readonly tenant: string
    readonly kind: TaskKind
    status: TaskStatus
    readonly model: string
    readonly created_at: number
    updated_at: number
    result: string | null
    error: string | null
    readonly webhook_url: string | null
  }
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
  }
  readonly idempotency_keys: {
    readonly tenant: string
    readonly key: string
    readonly fingerprint: string
    /** The task or file of the request: exactly one is set. */
    readonly task_id: string | null
    readonly file_id: string | null
  }
  readonly answers: {
    readonly tenant: string
    readonly key: string
    readonly fingerprint: string
    answer: string
    readonly kept_ms: number
  }
  readonly files: {
    readonly sequence: Generated<number>
    readonly id: string
    readonly tenant: string
    readonly filename: string
    readonly purpose: string
    readonly bytes: number
    readonly created_at: number
  }
  readonly webhooks: {
    readonly id: string
    readonly task_id: string
    readonly tenant: string
    readonly url: string
    status: WebhookStatus
    attempts: number
    token: number
    due_ms: number
    lease_ms: number | null
    outcome: string | null
    readonly created_ms: number
  }
  readonly voices: {
    readonly sequence: Generated<number>
    readonly id: string
    readonly tenant: string
    readonly name: string
    readonly description: string
    readonly status: VoiceStatus
    readonly parameters: string
    readonly created_at: number
  }
  /** Tenants' objects in the object stores. */
  readonly objects: {
    readonly area: string
    readonly name: string
    readonly tenant: string
    readonly bytes: number
  }
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
