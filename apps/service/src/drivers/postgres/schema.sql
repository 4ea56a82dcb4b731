-- The tables of a cluster, in the schema `svc_audio`, which the service can have in a database of other programs. JSON is
-- stored as text: `jsonb` refuses some characters of a client's text. Text has the collation `C`: an upgrade of the system's
-- collations changes the order of no index. Times are Unix seconds, or milliseconds where the
-- name says so. `queue.sql` has the functions that claim.

-- The time of the database, in milliseconds since 1970.
CREATE FUNCTION svc_audio.now_ms() RETURNS bigint LANGUAGE sql VOLATILE
  AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint';

-- The day of a time, as 2026-11-22.
CREATE FUNCTION svc_audio.day_of(ms bigint) RETURNS text LANGUAGE sql IMMUTABLE
  AS $$ SELECT to_char(to_timestamp(ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') $$;

-- The work class of a kind of task.
CREATE FUNCTION svc_audio.work_class_of(kind text) RETURNS text LANGUAGE sql IMMUTABLE
  AS $$ SELECT CASE kind WHEN 'audio.transcription' THEN 'recognition' ELSE 'speech' END $$;

CREATE TABLE svc_audio.tasks (
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('PENDING', 'PROCESSING', 'SUCCESS', 'FAILED')),
  model text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  result text COLLATE "C",
  error text COLLATE "C",
  webhook_url text COLLATE "C",
  -- The request that the task comes from: workers and webhooks continue its trace.
  trace text COLLATE "C",
  -- The speed of the workers is the cost of the tasks that ended.
  cost bigint,
  ended_at bigint GENERATED ALWAYS AS (CASE WHEN status IN ('SUCCESS', 'FAILED') THEN updated_at END) STORED,
  failed_at bigint GENERATED ALWAYS AS (CASE status WHEN 'FAILED' THEN updated_at END) STORED
  -- A claim changes no indexed column of its task: with room on the page, the new version of the row stays there.
) WITH (fillfactor = 80);
CREATE INDEX tasks_ended_at ON svc_audio.tasks (ended_at) WHERE ended_at IS NOT NULL;
-- Lists of operators. Few tasks fail.
CREATE INDEX tasks_of_tenant ON svc_audio.tasks (tenant, sequence);
CREATE INDEX tasks_failed ON svc_audio.tasks (failed_at, tenant, kind) WHERE failed_at IS NOT NULL;
CREATE INDEX tasks_failed_of_tenant ON svc_audio.tasks (tenant, sequence) WHERE failed_at IS NOT NULL;
CREATE INDEX tasks_file ON svc_audio.tasks ((result::json ->> 'file') COLLATE "C") WHERE result IS NOT NULL;

-- Work to do: a row for each task that has not ended. No index has all jobs of a tenant: a claim would write an entry of it.
CREATE TABLE svc_audio.jobs (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id text COLLATE "C" NOT NULL UNIQUE REFERENCES svc_audio.tasks (id) ON DELETE CASCADE,
  tenant text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  -- Null for a stream.
  request text COLLATE "C",
  input text COLLATE "C",
  token bigint NOT NULL,
  attempts integer NOT NULL,
  due_ms bigint NOT NULL,
  lease_ms bigint,
  created_ms bigint NOT NULL,
  -- Estimated processor time, in milliseconds.
  cost bigint NOT NULL,
  -- The id of the last claim: a process whose claim got no response returns what it has claimed.
  claim uuid,
  -- When the job can be claimed: it is due, and its lease has lapsed.
  ready_ms bigint GENERATED ALWAYS AS (greatest(due_ms, coalesce(lease_ms, 0))) STORED
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX jobs_waiting ON svc_audio.jobs (tenant, svc_audio.work_class_of(kind), sequence) WHERE lease_ms IS NULL;
CREATE INDEX jobs_held ON svc_audio.jobs (tenant, svc_audio.work_class_of(kind), lease_ms) WHERE lease_ms IS NOT NULL;
CREATE INDEX jobs_leased ON svc_audio.jobs (lease_ms) WHERE lease_ms IS NOT NULL;
-- Jobs that wait once more. Few do.
CREATE INDEX jobs_again ON svc_audio.jobs (sequence) WHERE lease_ms IS NULL AND token > 0;
CREATE INDEX jobs_inputs ON svc_audio.jobs (input) WHERE input IS NOT NULL;

-- Requests of failed tasks: an operator can run each once more.
CREATE TABLE svc_audio.failed_requests (
  task_id text COLLATE "C" PRIMARY KEY REFERENCES svc_audio.tasks (id) ON DELETE CASCADE,
  tenant text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  input text COLLATE "C",
  failed_ms bigint NOT NULL
);
CREATE INDEX failed_requests_age ON svc_audio.failed_requests (failed_ms);
CREATE INDEX failed_requests_inputs ON svc_audio.failed_requests (input) WHERE input IS NOT NULL;

-- Numbers the turns of tenants.
CREATE SEQUENCE svc_audio.turn;

-- When the shares of a work class are compared with the waiting jobs next.
CREATE TABLE svc_audio.work_classes (work_class text COLLATE "C" PRIMARY KEY, check_ms bigint NOT NULL) WITH (fillfactor = 50);
INSERT INTO svc_audio.work_classes VALUES ('speech', 0), ('recognition', 0);

-- The account of a tenant in a work class. Its state says whether it may have a job, so a claim reads one share and one
-- job, however many there are.
CREATE TABLE svc_audio.shares (
  tenant text COLLATE "C" NOT NULL,
  work_class text COLLATE "C" NOT NULL,
  -- What its claimed tasks have cost.
  spent bigint NOT NULL,
  -- What it had spent before its last claim: see reached_in.
  started bigint NOT NULL DEFAULT 0,
  turn bigint NOT NULL,
  state text COLLATE "C" NOT NULL DEFAULT 'empty' CHECK (state IN ('offered', 'empty', 'full')),
  -- Tasks of a paused tenant stay in the queue.
  paused boolean NOT NULL DEFAULT false,
  -- The most leases that the tenant may have: ends do not count them down. At its limit they are counted.
  leases bigint NOT NULL DEFAULT 0,
  -- When to look again into a share that is not offered, and how often that was done.
  look_ms bigint,
  looks smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, work_class)
) WITH (fillfactor = 50);
CREATE INDEX shares_offered ON svc_audio.shares (work_class, spent, turn) WHERE state = 'offered' AND NOT paused;
CREATE INDEX shares_started ON svc_audio.shares (work_class, started);
CREATE INDEX shares_look ON svc_audio.shares (look_ms) WHERE look_ms IS NOT NULL;
CREATE INDEX shares_paused ON svc_audio.shares (tenant) WHERE paused;

CREATE TABLE svc_audio.webhooks (
  id text COLLATE "C" PRIMARY KEY,
  task_id text COLLATE "C" NOT NULL UNIQUE REFERENCES svc_audio.tasks (id) ON DELETE CASCADE,
  tenant text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  -- Scheme, host and port of the address.
  receiver text COLLATE "C" NOT NULL GENERATED ALWAYS AS (coalesce(substring(url from '^[^:]*://[^/?#]*'), '')) STORED,
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL,
  token bigint NOT NULL,
  due_ms bigint NOT NULL,
  lease_ms bigint,
  -- The lane of the last claim, and whether the last call had no response in time.
  slow smallint NOT NULL DEFAULT 0,
  timed_out smallint NOT NULL DEFAULT 0,
  outcome text COLLATE "C",
  created_ms bigint NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX webhooks_due ON svc_audio.webhooks (tenant, receiver, due_ms, id) WHERE status = 'pending';
CREATE INDEX webhooks_leased ON svc_audio.webhooks (tenant, receiver, slow) WHERE lease_ms IS NOT NULL;
CREATE INDEX webhooks_lapsing ON svc_audio.webhooks (lease_ms) WHERE lease_ms IS NOT NULL;

-- The receivers of a tenant with pending calls. One that did not respond in time twice in a row is slow: it has one call
-- at a time, in a lane of its own, until it responds again. Triggers compute each row again from the calls.
CREATE TABLE svc_audio.webhook_receivers (
  tenant text COLLATE "C" NOT NULL,
  receiver text COLLATE "C" NOT NULL,
  slow smallint NOT NULL DEFAULT 0,
  -- Calls in a row without a response in time.
  timeouts integer NOT NULL DEFAULT 0,
  -- Calls in flight.
  calls integer NOT NULL DEFAULT 0,
  -- When its next call is due.
  due_ms bigint,
  -- Its last turn.
  turn_ms bigint NOT NULL DEFAULT 0,
  turn bigint NOT NULL DEFAULT 0,
  -- Its place in the queue. Null without a due call, and at its limit of calls in flight.
  ready_ms bigint GENERATED ALWAYS AS (
    CASE WHEN due_ms IS NOT NULL AND calls < CASE slow WHEN 1 THEN 1 ELSE 4 END THEN greatest(due_ms, turn_ms) END
  ) STORED,
  PRIMARY KEY (tenant, receiver)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX webhook_receivers_turns ON svc_audio.webhook_receivers (tenant, slow, calls, ready_ms, turn)
  WHERE ready_ms IS NOT NULL;
CREATE INDEX webhook_receivers_first ON svc_audio.webhook_receivers (tenant, slow, ready_ms) WHERE ready_ms IS NOT NULL;

-- Two lanes of each tenant: that of its receivers, and that of its slow ones. The row of the first lane is the lock of
-- everything that the tenant has in these two tables.
CREATE TABLE svc_audio.webhook_lanes (
  tenant text COLLATE "C" NOT NULL,
  slow smallint NOT NULL,
  calls integer NOT NULL DEFAULT 0,
  -- When its first receiver is ready.
  due_ms bigint,
  turn_ms bigint NOT NULL DEFAULT 0,
  turn bigint NOT NULL DEFAULT 0,
  ready_ms bigint GENERATED ALWAYS AS (CASE WHEN due_ms IS NOT NULL THEN greatest(due_ms, turn_ms) END) STORED,
  PRIMARY KEY (tenant, slow)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX webhook_lanes_turns ON svc_audio.webhook_lanes (slow, calls, ready_ms, turn) WHERE ready_ms IS NOT NULL;
CREATE INDEX webhook_lanes_last ON svc_audio.webhook_lanes (turn_ms);

CREATE TABLE svc_audio.api_keys (
  hash text COLLATE "C" PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  used_at bigint
);
CREATE TABLE svc_audio.secrets (name text COLLATE "C" PRIMARY KEY, value text COLLATE "C" NOT NULL, expires_at bigint);
CREATE TABLE svc_audio.suspensions (tenant text COLLATE "C" PRIMARY KEY, since bigint NOT NULL);

CREATE TABLE svc_audio.files (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  tenant text COLLATE "C" NOT NULL,
  filename text COLLATE "C" NOT NULL,
  purpose text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX files_newest ON svc_audio.files (tenant, sequence);
CREATE INDEX files_age ON svc_audio.files (created_at);

CREATE TABLE svc_audio.voices (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  tenant text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  description text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('active', 'failed')),
  parameters text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX voices_of_tenant ON svc_audio.voices (tenant, sequence);

-- Keys of requests that made a task or a file.
CREATE TABLE svc_audio.idempotency_keys (
  tenant text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" REFERENCES svc_audio.tasks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  file_id text COLLATE "C" REFERENCES svc_audio.files (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (tenant, key),
  CHECK ((task_id IS NULL) <> (file_id IS NULL))
);
CREATE INDEX idempotency_keys_task ON svc_audio.idempotency_keys (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX idempotency_keys_file ON svc_audio.idempotency_keys (file_id) WHERE file_id IS NOT NULL;

-- Responses to requests with a key that made neither.
CREATE TABLE svc_audio.responses (
  tenant text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  response text COLLATE "C" NOT NULL,
  stored_ms bigint NOT NULL,
  PRIMARY KEY (tenant, key)
);
CREATE INDEX responses_age ON svc_audio.responses (stored_ms);

-- Tenants' objects in the bucket. The rows tell which objects can be deleted: when each was entered, and which were begun
-- and never entered.
CREATE TABLE svc_audio.objects (
  area text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  -- SHA-256 of the bytes in hexadecimal. Null for an object of an import.
  sha256 text COLLATE "C",
  entered_ms bigint NOT NULL DEFAULT svc_audio.now_ms(),
  PRIMARY KEY (area, name)
);
CREATE INDEX objects_age ON svc_audio.objects (area, entered_ms, name);
CREATE INDEX objects_of_tenant ON svc_audio.objects (tenant);
CREATE TABLE svc_audio.begun_objects (
  area text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  begun_ms bigint NOT NULL,
  PRIMARY KEY (area, name)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- Sums of stored bytes, for quotas and for metrics: adding up a million objects for each accepted task would take too
-- long. A connection adds to one of several parts of the sum of an area: others seldom wait for its commit.
CREATE TABLE svc_audio.stored_bytes (tenant text COLLATE "C" PRIMARY KEY, bytes bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE svc_audio.area_bytes (
  area text COLLATE "C" NOT NULL,
  slot smallint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (area, slot)
) WITH (fillfactor = 50);
-- Counts the objects of a statement. It changes the sum of the area first, and then those of the tenants in their order: two
-- statements never wait for each other in a circle.
CREATE FUNCTION svc_audio.count_entered() RETURNS trigger LANGUAGE plpgsql SET search_path = svc_audio, pg_temp AS $$
BEGIN
  INSERT INTO area_bytes AS sums
  SELECT area, pg_backend_pid() % 16, sum(bytes) FROM entered GROUP BY area ORDER BY area
  ON CONFLICT (area, slot) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
  INSERT INTO stored_bytes AS sums SELECT tenant, sum(bytes) FROM entered GROUP BY tenant ORDER BY tenant
  ON CONFLICT (tenant) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
  RETURN NULL;
END $$;
CREATE FUNCTION svc_audio.count_struck() RETURNS trigger LANGUAGE plpgsql SET search_path = svc_audio, pg_temp AS $$
BEGIN
  INSERT INTO area_bytes AS sums
  SELECT area, pg_backend_pid() % 16, -sum(bytes) FROM struck GROUP BY area ORDER BY area
  ON CONFLICT (area, slot) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
  INSERT INTO stored_bytes AS sums SELECT tenant, -sum(bytes) FROM struck GROUP BY tenant ORDER BY tenant
  ON CONFLICT (tenant) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
  RETURN NULL;
END $$;
CREATE FUNCTION svc_audio.count_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = svc_audio, pg_temp AS $$
BEGIN
  INSERT INTO area_bytes AS sums
  SELECT area, pg_backend_pid() % 16, sum(bytes) FROM (
    SELECT area, bytes FROM entered UNION ALL SELECT area, -bytes FROM struck
  ) AS changed GROUP BY area ORDER BY area
  ON CONFLICT (area, slot) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
  INSERT INTO stored_bytes AS sums
  SELECT tenant, sum(bytes) FROM (
    SELECT tenant, bytes FROM entered UNION ALL SELECT tenant, -bytes FROM struck
  ) AS changed GROUP BY tenant ORDER BY tenant
  ON CONFLICT (tenant) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
  RETURN NULL;
END $$;
CREATE TRIGGER count_entered AFTER INSERT ON svc_audio.objects
REFERENCING NEW TABLE AS entered FOR EACH STATEMENT EXECUTE FUNCTION svc_audio.count_entered();
CREATE TRIGGER count_struck AFTER DELETE ON svc_audio.objects
REFERENCING OLD TABLE AS struck FOR EACH STATEMENT EXECUTE FUNCTION svc_audio.count_struck();
CREATE TRIGGER count_changed AFTER UPDATE ON svc_audio.objects
REFERENCING OLD TABLE AS struck NEW TABLE AS entered FOR EACH STATEMENT EXECUTE FUNCTION svc_audio.count_changed();

CREATE TABLE svc_audio.usage (
  day text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  slot smallint NOT NULL,
  requests bigint NOT NULL DEFAULT 0,
  succeeded bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  characters bigint NOT NULL DEFAULT 0,
  speech_ms bigint NOT NULL DEFAULT 0,
  recording_ms bigint NOT NULL DEFAULT 0,
  stored_bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (day, tenant, kind, slot)
) WITH (fillfactor = 50);
CREATE INDEX usage_of_tenant ON svc_audio.usage (tenant);
CREATE TABLE svc_audio.usage_batches (counter text COLLATE "C" PRIMARY KEY, number bigint NOT NULL, day text COLLATE "C" NOT NULL);

CREATE TABLE svc_audio.audit (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at_ms bigint NOT NULL,
  actor text COLLATE "C" NOT NULL CHECK (actor IN ('client', 'operator', 'service')),
  action text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  details text COLLATE "C" NOT NULL
);
CREATE INDEX audit_operators ON svc_audio.audit (sequence) WHERE actor <> 'client';
CREATE FUNCTION svc_audio.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Records of the audit log never change';
END $$;
CREATE TRIGGER audit_is_appended BEFORE UPDATE ON svc_audio.audit
FOR EACH ROW EXECUTE FUNCTION svc_audio.refuse_change();

-- When work that only one process does at a time was completed last.
CREATE TABLE svc_audio.exclusive_work (name text COLLATE "C" PRIMARY KEY, ended_ms bigint NOT NULL);

-- Keys of requests in flight, and requests of a key in its minute. Their loss in a crash of the database only shortens a
-- hold or a minute, so they need no log.
CREATE UNLOGGED TABLE svc_audio.keys_in_flight (
  tenant text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  holder text COLLATE "C" NOT NULL,
  until_ms bigint NOT NULL,
  PRIMARY KEY (tenant, key)
);
CREATE UNLOGGED TABLE svc_audio.request_counts (
  key text COLLATE "C" PRIMARY KEY,
  amount integer NOT NULL,
  until_ms bigint NOT NULL
);
