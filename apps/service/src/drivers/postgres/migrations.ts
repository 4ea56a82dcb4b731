import { SHARES_BY_COST } from './claim-by-cost.ts'
import { FAIR_QUEUE, LEAN_CLAIMS } from './fair-queue.ts'
import { readFunction } from './sql-file.ts'
import { TRACES_AND_USAGE } from './usage-migration.ts'

/** A step from one version of the tables to the next. A released step never changes. */
export interface Migration {
  readonly statements: readonly string[]
  /**
   * The oldest number of steps whose program still works with the tables after this step. Programs of that version run
   * during a rolling upgrade.
   */
  readonly worksWith: number
}

const TASKS = [
  readFunction('now_ms'),
  `CREATE TABLE svc_audio.tasks (
     sequence bigint GENERATED ALWAYS AS IDENTITY,
     id text PRIMARY KEY,
     tenant text NOT NULL,
     kind text NOT NULL,
     status text NOT NULL CHECK (status IN ('PENDING', 'PROCESSING', 'SUCCESS', 'FAILED')),
     model text NOT NULL,
     created_at bigint NOT NULL,
     updated_at bigint NOT NULL,
     result text,
     error text,
     webhook_url text
   )`,
  `CREATE INDEX tasks_ended ON svc_audio.tasks (updated_at) WHERE status IN ('SUCCESS', 'FAILED')`,
  `CREATE INDEX tasks_status ON svc_audio.tasks (status)`,
  `CREATE INDEX tasks_file ON svc_audio.tasks ((result::json ->> 'file')) WHERE result IS NOT NULL`,
  // `ready_ms` is when the job can be claimed: it is due, and its lease has lapsed.
  `CREATE TABLE svc_audio.jobs (
     sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     task_id text NOT NULL UNIQUE REFERENCES svc_audio.tasks (id) ON DELETE CASCADE,
     tenant text NOT NULL,
     kind text NOT NULL,
     request text,
     input text,
     token bigint NOT NULL,
     attempts integer NOT NULL,
     due_ms bigint NOT NULL,
     lease_ms bigint,
     created_ms bigint NOT NULL,
     ready_ms bigint GENERATED ALWAYS AS (greatest(due_ms, coalesce(lease_ms, 0))) STORED
   ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  `CREATE INDEX jobs_waiting ON svc_audio.jobs (tenant, kind, sequence) WHERE lease_ms IS NULL`,
  `CREATE INDEX jobs_of_tenant ON svc_audio.jobs (tenant)`,
  `CREATE INDEX jobs_ready ON svc_audio.jobs (ready_ms)`,
  `CREATE INDEX jobs_leased ON svc_audio.jobs (lease_ms) WHERE lease_ms IS NOT NULL`,
  `CREATE INDEX jobs_inputs ON svc_audio.jobs (input) WHERE input IS NOT NULL`,
  `CREATE SEQUENCE svc_audio.turn`,
  `CREATE TABLE svc_audio.turns (tenant text PRIMARY KEY, turn bigint NOT NULL)`,
  readFunction('claim_task_1'),
]

const WEBHOOKS = [
  `CREATE TABLE svc_audio.webhooks (
     id text PRIMARY KEY,
     task_id text NOT NULL UNIQUE REFERENCES svc_audio.tasks (id) ON DELETE CASCADE,
     tenant text NOT NULL,
     url text NOT NULL,
     status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
     attempts integer NOT NULL,
     token bigint NOT NULL,
     due_ms bigint NOT NULL,
     lease_ms bigint,
     outcome text,
     created_ms bigint NOT NULL,
     ready_ms bigint GENERATED ALWAYS AS (greatest(due_ms, coalesce(lease_ms, 0))) STORED
   ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  `CREATE INDEX webhooks_offers ON svc_audio.webhooks (tenant, due_ms, id) WHERE status = 'pending'`,
  `CREATE INDEX webhooks_ready ON svc_audio.webhooks (ready_ms) WHERE status = 'pending'`,
  `CREATE INDEX webhooks_leased ON svc_audio.webhooks (lease_ms) WHERE lease_ms IS NOT NULL`,
  `CREATE TABLE svc_audio.webhook_turns (tenant text PRIMARY KEY, turn bigint NOT NULL)`,
  readFunction('claim_webhook_1'),
]

const STORES = [
  `CREATE TABLE svc_audio.api_keys (
     hash text PRIMARY KEY,
     tenant text NOT NULL,
     created_at bigint NOT NULL,
     expires_at bigint,
     used_at bigint
   )`,
  `CREATE TABLE svc_audio.secrets (name text PRIMARY KEY, value text NOT NULL, expires_at bigint)`,
  `CREATE TABLE svc_audio.suspensions (tenant text PRIMARY KEY, since bigint NOT NULL)`,
  `CREATE TABLE svc_audio.files (
     sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id text NOT NULL UNIQUE,
     tenant text NOT NULL,
     filename text NOT NULL,
     purpose text NOT NULL,
     bytes bigint NOT NULL,
     created_at bigint NOT NULL
   )`,
  `CREATE INDEX files_newest ON svc_audio.files (tenant, sequence)`,
  `CREATE INDEX files_age ON svc_audio.files (created_at)`,
  `CREATE TABLE svc_audio.idempotency_keys (
     tenant text NOT NULL,
     key text NOT NULL,
     fingerprint text NOT NULL,
     task_id text REFERENCES svc_audio.tasks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     file_id text REFERENCES svc_audio.files (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     PRIMARY KEY (tenant, key),
     CHECK ((task_id IS NULL) <> (file_id IS NULL))
   )`,
  `CREATE INDEX idempotency_keys_task ON svc_audio.idempotency_keys (task_id) WHERE task_id IS NOT NULL`,
  `CREATE INDEX idempotency_keys_file ON svc_audio.idempotency_keys (file_id) WHERE file_id IS NOT NULL`,
  `CREATE TABLE svc_audio.answers (
     tenant text NOT NULL,
     key text NOT NULL,
     fingerprint text NOT NULL,
     answer text NOT NULL,
     kept_ms bigint NOT NULL,
     PRIMARY KEY (tenant, key)
   )`,
  `CREATE INDEX answers_kept ON svc_audio.answers (kept_ms)`,
  `CREATE TABLE svc_audio.voices (
     sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id text NOT NULL UNIQUE,
     tenant text NOT NULL,
     name text NOT NULL,
     description text NOT NULL,
     status text NOT NULL CHECK (status IN ('active', 'failed')),
     parameters text NOT NULL,
     created_at bigint NOT NULL
   )`,
  `CREATE INDEX voices_of_tenant ON svc_audio.voices (tenant, sequence)`,
  `CREATE TABLE svc_audio.objects (
     area text NOT NULL,
     name text NOT NULL,
     tenant text NOT NULL,
     bytes bigint NOT NULL,
     PRIMARY KEY (area, name)
   )`,
  // Sums for quotas: adding up a million objects for each accepted task would take too long.
  `CREATE TABLE svc_audio.stored_bytes (tenant text PRIMARY KEY, bytes bigint NOT NULL) WITH (fillfactor = 50)`,
  readFunction('count_object'),
  `CREATE TRIGGER count_object AFTER INSERT OR UPDATE OR DELETE ON svc_audio.objects
   FOR EACH ROW EXECUTE FUNCTION svc_audio.count_object()`,
  `CREATE TABLE svc_audio.exclusive_work (name text PRIMARY KEY, ended_ms bigint NOT NULL)`,
  // Their loss in a crash of the database only shortens a minute or a hold, so they need no log.
  `CREATE UNLOGGED TABLE svc_audio.keys_in_flight (
     tenant text NOT NULL,
     key text NOT NULL,
     fingerprint text NOT NULL,
     holder text NOT NULL,
     until_ms bigint NOT NULL,
     PRIMARY KEY (tenant, key)
   )`,
  `CREATE UNLOGGED TABLE svc_audio.request_counts (
     key text PRIMARY KEY,
     amount integer NOT NULL,
     until_ms bigint NOT NULL
   )`,
]

const AUDIT = [
  `CREATE TABLE svc_audio.audit (
     sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     at_ms bigint NOT NULL,
     actor text NOT NULL CHECK (actor IN ('client', 'operator', 'service')),
     action text NOT NULL,
     tenant text NOT NULL,
     details text NOT NULL
   )`,
  `CREATE INDEX audit_operators ON svc_audio.audit (sequence) WHERE actor <> 'client'`,
  readFunction('refuse_change'),
  `CREATE TRIGGER audit_is_appended BEFORE UPDATE ON svc_audio.audit
   FOR EACH ROW EXECUTE FUNCTION svc_audio.refuse_change()`,
]

/** An operator can run a failed task once more. Programs of the version before store no request, and need none. */
const FAILED_REQUESTS = [
  `CREATE TABLE svc_audio.failed_requests (
     task_id text PRIMARY KEY REFERENCES svc_audio.tasks (id) ON DELETE CASCADE,
     tenant text NOT NULL,
     request text NOT NULL,
     input text,
     failed_ms bigint NOT NULL
   )`,
  'CREATE INDEX failed_requests_age ON svc_audio.failed_requests (failed_ms)',
  'CREATE INDEX failed_requests_inputs ON svc_audio.failed_requests (input) WHERE input IS NOT NULL',
]

/**
 * The rows tell which objects can be deleted: when each was entered, and which were begun and never entered. The default
 * is evaluated once for the rows that exist, so the table is not written.
 */
const OBJECTS_BY_AGE = [
  `ALTER TABLE svc_audio.objects ADD COLUMN entered_ms bigint NOT NULL DEFAULT ((extract(epoch FROM now()) * 1000)::bigint)`,
  'CREATE INDEX objects_age ON svc_audio.objects (area, entered_ms)',
  `CREATE TABLE svc_audio.begun_objects (
     area text NOT NULL,
     name text NOT NULL,
     begun_ms bigint NOT NULL,
     PRIMARY KEY (area, name)
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
]

/** Every step, from an empty schema to the current tables. */
export const MIGRATIONS: readonly Migration[] = [
  { statements: [...TASKS, ...WEBHOOKS, ...STORES], worksWith: 1 },
  { statements: SHARES_BY_COST, worksWith: 1 },
  { statements: AUDIT, worksWith: 1 },
  { statements: TRACES_AND_USAGE, worksWith: 1 },
  // The speed of the workers is the cost of the tasks that ended.
  { statements: ['ALTER TABLE svc_audio.tasks ADD COLUMN cost bigint'], worksWith: 1 },
  // Idle workers do not hold up these claims. Older programs claim with their own function.
  { statements: ['ready_jobs_1', 'next_offer_1', 'claim_task_3'].map(readFunction), worksWith: 1 },
  { statements: FAIR_QUEUE, worksWith: 1 },
  // As before, with the index of the queue for every plan.
  { statements: [readFunction('claim_tasks_2')], worksWith: 1 },
  { statements: FAILED_REQUESTS, worksWith: 1 },
  // A claim has an id: a process whose claim got no response returns what it has claimed.
  { statements: ['ALTER TABLE svc_audio.jobs ADD COLUMN claim uuid', readFunction('claim_tasks_3')], worksWith: 1 },
  { statements: OBJECTS_BY_AGE, worksWith: 1 },
  { statements: LEAN_CLAIMS, worksWith: 1 },
  // A claim that has waited in vain says whether it is to be repeated. It writes one index less: the index of leases has
  // all of them, so that nobody needs one of all jobs of a tenant. Earlier programs read more to accept a task.
  {
    statements: [
      readFunction('claim_tasks_5'),
      `CREATE INDEX jobs_held_2 ON svc_audio.jobs (tenant, svc_audio.lane_of(kind), lease_ms) WHERE lease_ms IS NOT NULL`,
      'DROP INDEX svc_audio.jobs_held',
      'DROP INDEX svc_audio.jobs_of_tenant',
    ],
    worksWith: 1,
  },
  // A claim waits for one share at most, and has locked no other by then: two claims cannot wait for each other.
  { statements: [readFunction('claim_tasks_6')], worksWith: 1 },
]
