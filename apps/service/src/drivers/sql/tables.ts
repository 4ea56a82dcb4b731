import { hash } from 'node:crypto'
import type { Generated } from 'kysely'
import type { WorkClass } from '../../domain/task-kinds.ts'
import type { UsageKind } from '../../domain/usage.ts'
import type { AuditActor } from '../../ports/audit-store.ts'
import type { TaskKind, TaskStatus } from '../../ports/task-store.ts'
import type { VoiceStatus } from '../../ports/voice-store.ts'
import type { WebhookStatus } from '../../ports/webhook-outbox.ts'

/**
 * The tables that SQLite and PostgreSQL have with the same columns. JSON is stored as text. Times are Unix seconds, or
 * milliseconds where the name says so.
 */
export interface CommonTables {
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
    /** The request that the task comes from, as JSON. */
    readonly trace: string | null
    /** Estimated processor time of an ended task, in milliseconds. Null before. */
    cost: number | null
  }
  /** Requests of failed tasks, for `tasks retry`. */
  readonly failed_requests: {
    readonly task_id: string
    readonly tenant: string
    readonly request: string
    readonly input: string | null
    readonly failed_ms: number
  }
  /** What each tenant's claimed tasks cost, and its last turn: a count, not a time. */
  readonly shares: {
    readonly tenant: string
    readonly work_class: WorkClass
    spent: number
    turn: number
    /** Tasks of a paused tenant stay in the queue. */
    paused: Generated<number>
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
    /** 1 if the receiver was slow at the last claim. */
    slow: Generated<number>
    /** 1 if the last call had no response in time. */
    timed_out: Generated<number>
    outcome: string | null
    readonly created_ms: number
  }
  /** The receivers of a tenant with pending calls. */
  readonly webhook_receivers: {
    readonly tenant: string
    readonly receiver: string
    readonly slow: number
    readonly calls: number
    turn_ms: number
    turn: number
    readonly ready_ms: number | null
  }
  /** The receivers of a tenant together, and its slow ones. */
  readonly webhook_lanes: {
    readonly tenant: string
    readonly slow: number
    readonly calls: number
    turn_ms: number
    turn: number
    readonly ready_ms: number | null
  }
  readonly api_keys: {
    readonly hash: string
    readonly tenant: string
    readonly created_at: number
    /** Unix seconds. Null for a key that does not expire. */
    expires_at: number | null
    /** Unix seconds, a few minutes late. Null for a key that was never used. */
    used_at: number | null
  }
  readonly secrets: {
    readonly name: string
    /** In clear or sealed. */
    value: string
    /** Unix seconds. Null for the current value of a name; `<name>#<random>` is a former one until this time. */
    readonly expires_at: number | null
  }
  /** Tenants whose requests are refused. */
  readonly suspensions: { readonly tenant: string; readonly since: number }
  readonly files: {
    readonly sequence: Generated<number>
    readonly id: string
    readonly tenant: string
    readonly filename: string
    readonly purpose: string
    readonly bytes: number
    readonly created_at: number
  }
  /** Tenants' voices. Lists follow the sequence. */
  readonly voices: {
    readonly sequence: Generated<number>
    readonly id: string
    readonly tenant: string
    readonly name: string
    readonly description: string
    readonly status: VoiceStatus
    /** JSON. */
    readonly parameters: string
    readonly created_at: number
  }
  readonly idempotency_keys: {
    readonly tenant: string
    readonly key: string
    readonly fingerprint: string
    /** The task or file of the request: exactly one is set. */
    readonly task_id: string | null
    readonly file_id: string | null
  }
  /** Responses to requests with an idempotency key that made no task to work on. */
  readonly responses: {
    readonly tenant: string
    readonly key: string
    readonly fingerprint: string
    /** JSON. */
    response: string
    readonly stored_ms: number
  }
  /** Tenants' objects in the object stores. */
  readonly objects: {
    readonly area: string
    readonly name: string
    readonly tenant: string
    readonly bytes: number
  }
  readonly usage: {
    readonly day: string
    readonly tenant: string
    readonly kind: UsageKind
    /** A part of the sum. Several writers of a cluster add to different parts, so that none waits for another. */
    readonly slot: number
    readonly requests: number
    readonly succeeded: number
    readonly failed: number
    readonly characters: number
    readonly speech_ms: number
    readonly recording_ms: number
    readonly stored_bytes: number
  }
  /** The last batch of each process. */
  readonly usage_batches: { readonly counter: string; readonly number: number; readonly day: string }
  readonly audit: {
    readonly sequence: Generated<number>
    readonly at_ms: number
    readonly actor: AuditActor
    readonly action: string
    /** Empty without a tenant. */
    readonly tenant: string
    /** The other fields as JSON. */
    readonly details: string
  }
}

/** The tables of keys and secrets. */
export type KeyTables = Pick<CommonTables, 'api_keys' | 'secrets' | 'suspensions'>

/** The tables of usage. */
export type UsageTables = Pick<CommonTables, 'usage' | 'usage_batches'>

/**
 * Identifies the statements of a schema, whatever their comments and spaces. A database stores it: tables that other
 * statements have made are refused.
 * @returns 16 hexadecimal digits
 */
export function sumOf(statements: readonly string[]): string {
  const plain = statements.map((statement) => statement.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ').trim())
  return hash('sha256', JSON.stringify(plain)).slice(0, 16)
}
