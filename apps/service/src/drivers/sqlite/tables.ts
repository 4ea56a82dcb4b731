import type { Generated } from 'kysely'
import { type WorkClass, UNKNOWN_COST } from '../../domain/task-kinds.ts'
import { SUSPECT_CRASHES, type TaskKind, type TaskStatus } from '../../ports/task-store.ts'
import type { WebhookStatus } from '../../ports/webhook-outbox.ts'
import { ANSWER_MIGRATION, type ResponseTable } from './response-table.ts'
import { AUDIT_MIGRATION, type AuditTables } from '../sql/audit-table.ts'
import { MARK_MIGRATION } from './folder-mark.ts'
import { KEY_MIGRATION, type KeyTables } from '../sql/key-tables.ts'
import { USAGE_MIGRATION, type UsageTables } from '../sql/usage-tables.ts'
import { VOICE_MIGRATION, type VoiceTable } from './voice-table.ts'

/**
 * Tables of the database. JSON is stored as text. Times are Unix seconds, or milliseconds where the name says so. Only
 * this service writes the tables, and they are strict: rows have exactly these types.
 */
export interface Tables extends KeyTables, AuditTables, UsageTables {
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
    /** Estimated processor time of an ended task, in milliseconds. Null before, and if an older version ended it. */
    cost: number | null
  }
  /** Work to do: a row for each task that has not ended. */
  readonly jobs: {
    readonly sequence: Generated<number>
    readonly task_id: string
    readonly tenant: string
    /** Null for a stream. */
    readonly request: string | null
    readonly input: string | null
    token: number
    attempts: number
    due_ms: number
    lease_ms: number | null
    readonly created_ms: number
    /** The kind of the task. Empty for a stream. */
    readonly kind: TaskKind | ''
    /** Estimated processor time, in milliseconds. */
    readonly cost: Generated<number>
    /** Crashes of the process while it worked on the task. */
    crashes: Generated<number>
    /** Those of them at which the task ran alone, as a suspect. */
    interruptions: Generated<number>
  }
  /** What each tenant's claimed tasks cost, and its last turn: a count, not a time. */
  readonly shares: {
    readonly tenant: string
    readonly lane: WorkClass
    spent: number
    turn: number
    /** Tasks of a paused tenant stay in the queue. */
    paused: Generated<number>
  }
  /** What the tenant of the last claim had spent before it. */
  readonly lanes: { readonly lane: WorkClass; reached: number }
  /** Each tenant's last turn of its webhooks. */
  readonly webhook_turns: { readonly tenant: string; turn: number }
  readonly idempotency_keys: {
    readonly tenant: string
    readonly key: string
    readonly fingerprint: string
    /** The task or file of the request: exactly one is set. */
    readonly task_id: string | null
    readonly file_id: string | null
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
  /** Requests of failed tasks, for `tasks retry`. */
  readonly failed_requests: {
    readonly task_id: string
    readonly tenant: string
    readonly request: string
    readonly input: string | null
    readonly failed_ms: number
  }
  readonly voices: VoiceTable
  /** Tenants' objects in the object stores. */
  readonly objects: {
    readonly area: string
    readonly name: string
    readonly tenant: string
    readonly bytes: number
  }
  readonly answers: ResponseTable
}

/** Steps from an empty file to the current tables. A released step never changes. `user_version` counts the steps. */
export const MIGRATIONS: readonly string[] = [
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
  // Unfinished tasks of an older version were streams. Their jobs are lost, so the next worker fails them.
  `ALTER TABLE tasks ADD COLUMN webhook_url TEXT;
   DROP INDEX tasks_unfinished;
   CREATE INDEX tasks_ended ON tasks (updated_at) WHERE status IN ('SUCCESS', 'FAILED');
   CREATE TABLE jobs (
     sequence INTEGER PRIMARY KEY,
     task_id TEXT NOT NULL UNIQUE REFERENCES tasks (id) ON DELETE CASCADE,
     tenant TEXT NOT NULL,
     request TEXT,
     input TEXT,
     token INTEGER NOT NULL,
     attempts INTEGER NOT NULL,
     due_ms INTEGER NOT NULL,
     lease_ms INTEGER,
     created_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX jobs_turns ON jobs (tenant, lease_ms, due_ms);
   CREATE INDEX jobs_inputs ON jobs (input) WHERE input IS NOT NULL;
   CREATE TABLE turns (tenant TEXT PRIMARY KEY, turn INTEGER NOT NULL) STRICT;
   CREATE TABLE idempotency_keys (
     tenant TEXT NOT NULL,
     key TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     PRIMARY KEY (tenant, key)
   ) STRICT;
   CREATE INDEX idempotency_keys_task ON idempotency_keys (task_id);
   CREATE TABLE webhooks (
     id TEXT PRIMARY KEY,
     task_id TEXT NOT NULL UNIQUE REFERENCES tasks (id) ON DELETE CASCADE,
     url TEXT NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
     attempts INTEGER NOT NULL,
     token INTEGER NOT NULL,
     due_ms INTEGER NOT NULL,
     lease_ms INTEGER,
     outcome TEXT,
     created_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX webhooks_due ON webhooks (due_ms) WHERE status = 'pending';
   INSERT INTO jobs (task_id, tenant, token, attempts, due_ms, created_ms)
     SELECT id, tenant, 1, 1, 0, created_at * 1000 FROM tasks WHERE status IN ('PENDING', 'PROCESSING');`,
  VOICE_MIGRATION,
  // An idempotency key may now belong to a file.
  `CREATE TABLE files (
     sequence INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     tenant TEXT NOT NULL,
     filename TEXT NOT NULL,
     purpose TEXT NOT NULL,
     bytes INTEGER NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX files_newest ON files (tenant, sequence);
   ALTER TABLE idempotency_keys RENAME TO task_keys;
   DROP INDEX idempotency_keys_task;
   CREATE TABLE idempotency_keys (
     tenant TEXT NOT NULL,
     key TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     task_id TEXT REFERENCES tasks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     file_id TEXT REFERENCES files (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     PRIMARY KEY (tenant, key),
     CHECK ((task_id IS NULL) <> (file_id IS NULL))
   ) STRICT;
   INSERT INTO idempotency_keys (tenant, key, fingerprint, task_id)
     SELECT tenant, key, fingerprint, task_id FROM task_keys;
   DROP TABLE task_keys;
   CREATE INDEX idempotency_keys_task ON idempotency_keys (task_id);
   CREATE INDEX idempotency_keys_file ON idempotency_keys (file_id);`,
  `CREATE TABLE objects (
     area TEXT NOT NULL,
     name TEXT NOT NULL,
     tenant TEXT NOT NULL,
     bytes INTEGER NOT NULL,
     PRIMARY KEY (area, name)
   ) STRICT;
   CREATE INDEX objects_of_tenant ON objects (tenant, bytes);`,
  ANSWER_MIGRATION,
  // Tenants take turns with their webhooks.
  `ALTER TABLE webhooks ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
   UPDATE webhooks SET tenant = (SELECT tenant FROM tasks WHERE id = task_id);
   DROP INDEX webhooks_due;
   CREATE INDEX webhooks_due ON webhooks (tenant, due_ms, lease_ms) WHERE status = 'pending';
   CREATE INDEX webhooks_leased ON webhooks (tenant, lease_ms) WHERE lease_ms IS NOT NULL;
   CREATE TABLE webhook_turns (tenant TEXT PRIMARY KEY, turn INTEGER NOT NULL) STRICT;`,
  KEY_MIGRATION,
  // Kinds of tasks have separate workers. The index answers a claim alone.
  `ALTER TABLE jobs ADD COLUMN kind TEXT NOT NULL DEFAULT '';
   UPDATE jobs SET kind = (SELECT kind FROM tasks WHERE id = task_id) WHERE request IS NOT NULL;
   DROP INDEX jobs_turns;
   CREATE INDEX jobs_turns ON jobs (tenant, lease_ms, due_ms, kind);`,
  // Tenants take turns by the cost of their tasks.
  `ALTER TABLE jobs ADD COLUMN cost INTEGER NOT NULL DEFAULT ${UNKNOWN_COST};
   DROP TABLE turns;
   CREATE TABLE lanes (lane TEXT PRIMARY KEY, reached INTEGER NOT NULL) STRICT;
   INSERT INTO lanes VALUES ('speech', 0), ('recognition', 0);
   CREATE TABLE shares (
     tenant TEXT NOT NULL,
     lane TEXT NOT NULL,
     spent INTEGER NOT NULL,
     turn INTEGER NOT NULL,
     PRIMARY KEY (tenant, lane)
   ) STRICT;
   CREATE INDEX shares_turn ON shares (turn);`,
  AUDIT_MIGRATION,
  // Workers and webhooks continue the trace of the request.
  `ALTER TABLE tasks ADD COLUMN trace TEXT;
   ${USAGE_MIGRATION}`,
  // The speed of the workers is the cost of the tasks that ended.
  'ALTER TABLE tasks ADD COLUMN cost INTEGER;',
  // Tasks of a paused tenant stay in the queue.
  'ALTER TABLE shares ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;',
  // A start recognizes a database that has lost its last rows.
  MARK_MIGRATION,
  // Tasks that were running at several crashes run alone. The index answers a claim alone.
  `ALTER TABLE jobs ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE jobs ADD COLUMN interruptions INTEGER NOT NULL DEFAULT 0;
   DROP INDEX jobs_turns;
   CREATE INDEX jobs_turns ON jobs (tenant, lease_ms, due_ms, kind, crashes);
   CREATE INDEX jobs_suspects ON jobs (interruptions, crashes) WHERE crashes >= ${SUSPECT_CRASHES};`,
  // An operator can run a failed task once more.
  `CREATE TABLE failed_requests (
     task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
     tenant TEXT NOT NULL,
     request TEXT NOT NULL,
     input TEXT,
     failed_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX failed_requests_age ON failed_requests (failed_ms);
   CREATE INDEX failed_requests_inputs ON failed_requests (input) WHERE input IS NOT NULL;`,
]
