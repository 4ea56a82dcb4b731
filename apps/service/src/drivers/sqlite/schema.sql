-- The tables of a data folder. JSON is stored as text. Times are Unix seconds, or milliseconds where the name says so.

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
  error TEXT,
  webhook_url TEXT,
  -- The request that the task comes from: workers and webhooks continue its trace.
  trace TEXT,
  -- The speed of the workers is the cost of the tasks that ended.
  cost INTEGER
) STRICT;
CREATE INDEX tasks_ended ON tasks (updated_at) WHERE status IN ('SUCCESS', 'FAILED');

-- Work to do: a row for each task that has not ended.
CREATE TABLE jobs (
  sequence INTEGER PRIMARY KEY,
  task_id TEXT NOT NULL UNIQUE REFERENCES tasks (id) ON DELETE CASCADE,
  tenant TEXT NOT NULL,
  -- Empty for a stream, whose request is null.
  kind TEXT NOT NULL,
  request TEXT,
  input TEXT,
  token INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  due_ms INTEGER NOT NULL,
  lease_ms INTEGER,
  created_ms INTEGER NOT NULL,
  -- Estimated processor time, in milliseconds.
  cost INTEGER NOT NULL,
  crashes INTEGER NOT NULL DEFAULT 0,
  interruptions INTEGER NOT NULL DEFAULT 0
) STRICT;
-- The index answers a claim alone.
CREATE INDEX jobs_turns ON jobs (tenant, lease_ms, due_ms, kind, crashes);
CREATE INDEX jobs_inputs ON jobs (input) WHERE input IS NOT NULL;
-- Tasks that were running at several crashes (SUSPECT_CRASHES) run alone.
CREATE INDEX jobs_suspects ON jobs (interruptions, crashes) WHERE crashes >= 2;

-- Requests of failed tasks: an operator can run each once more.
CREATE TABLE failed_requests (
  task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
  tenant TEXT NOT NULL,
  request TEXT NOT NULL,
  input TEXT,
  failed_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX failed_requests_age ON failed_requests (failed_ms);
CREATE INDEX failed_requests_inputs ON failed_requests (input) WHERE input IS NOT NULL;

-- What the tenant of the last claim of a work class had spent before it.
CREATE TABLE work_classes (work_class TEXT PRIMARY KEY, reached INTEGER NOT NULL) STRICT;
INSERT INTO work_classes VALUES ('speech', 0), ('recognition', 0);

-- What the claimed tasks of a tenant cost, and its last turn.
CREATE TABLE shares (
  tenant TEXT NOT NULL,
  work_class TEXT NOT NULL,
  spent INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  -- Tasks of a paused tenant stay in the queue.
  paused INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, work_class)
) STRICT;
CREATE INDEX shares_turn ON shares (turn);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL UNIQUE REFERENCES tasks (id) ON DELETE CASCADE,
  tenant TEXT NOT NULL,
  url TEXT NOT NULL,
  -- Scheme, host and port of the address.
  receiver TEXT NOT NULL GENERATED ALWAYS AS (
    substr(url, 1, 7 + instr(replace(replace(substr(url, 9), '?', '/'), '#', '/') || '/', '/'))
  ) STORED,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  token INTEGER NOT NULL,
  due_ms INTEGER NOT NULL,
  lease_ms INTEGER,
  -- The lane of the last claim, and whether the last call had no response in time.
  slow INTEGER NOT NULL DEFAULT 0,
  timed_out INTEGER NOT NULL DEFAULT 0,
  outcome TEXT,
  created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_due ON webhooks (tenant, receiver, due_ms, id, lease_ms) WHERE status = 'pending';
CREATE INDEX webhooks_leased ON webhooks (tenant, receiver, slow) WHERE lease_ms IS NOT NULL;
CREATE INDEX webhooks_lapsing ON webhooks (lease_ms) WHERE lease_ms IS NOT NULL;

-- The receivers of a tenant with pending calls. One that did not respond in time twice in a row is slow: it has one call
-- at a time, in a lane of its own, until it responds again. Triggers compute each row again from the calls.
CREATE TABLE webhook_receivers (
  tenant TEXT NOT NULL,
  receiver TEXT NOT NULL,
  slow INTEGER NOT NULL DEFAULT 0,
  -- Calls in a row without a response in time.
  timeouts INTEGER NOT NULL DEFAULT 0,
  -- Calls in flight.
  calls INTEGER NOT NULL DEFAULT 0,
  -- When its next call is due.
  due_ms INTEGER,
  -- Its last turn.
  turn_ms INTEGER NOT NULL DEFAULT 0,
  turn INTEGER NOT NULL DEFAULT 0,
  -- Its place in the queue. Null without a due call, and at its limit of calls in flight.
  ready_ms INTEGER GENERATED ALWAYS AS (
    CASE WHEN calls < CASE slow WHEN 1 THEN 1 ELSE 4 END THEN max(due_ms, turn_ms) END
  ) STORED,
  PRIMARY KEY (tenant, receiver)
) STRICT;
CREATE INDEX webhook_receivers_turns ON webhook_receivers (tenant, slow, calls, ready_ms, turn)
  WHERE ready_ms IS NOT NULL;
CREATE INDEX webhook_receivers_first ON webhook_receivers (tenant, slow, ready_ms) WHERE ready_ms IS NOT NULL;

-- Two lanes of each tenant: that of its receivers, and that of its slow ones.
CREATE TABLE webhook_lanes (
  tenant TEXT NOT NULL,
  slow INTEGER NOT NULL,
  calls INTEGER NOT NULL DEFAULT 0,
  -- When its first receiver is ready.
  due_ms INTEGER,
  turn_ms INTEGER NOT NULL DEFAULT 0,
  turn INTEGER NOT NULL DEFAULT 0,
  ready_ms INTEGER GENERATED ALWAYS AS (max(due_ms, turn_ms)) STORED,
  PRIMARY KEY (tenant, slow)
) STRICT;
CREATE INDEX webhook_lanes_turns ON webhook_lanes (slow, calls, ready_ms, turn) WHERE ready_ms IS NOT NULL;
CREATE INDEX webhook_lanes_last ON webhook_lanes (turn);

-- A row that is inserted here computes a receiver and its lanes again.
CREATE VIEW webhook_changes (tenant, receiver) AS SELECT tenant, receiver FROM webhook_receivers WHERE false;
CREATE TRIGGER webhook_changes_apply INSTEAD OF INSERT ON webhook_changes BEGIN
  INSERT INTO webhook_lanes (tenant, slow) VALUES (NEW.tenant, 0), (NEW.tenant, 1) ON CONFLICT DO NOTHING;
  INSERT INTO webhook_receivers (tenant, receiver) VALUES (NEW.tenant, NEW.receiver) ON CONFLICT DO NOTHING;
  UPDATE webhook_receivers SET
    calls = (SELECT count(*) FROM webhooks AS w
      WHERE w.tenant = NEW.tenant AND w.receiver = NEW.receiver AND w.lease_ms IS NOT NULL),
    due_ms = (SELECT w.due_ms FROM webhooks AS w
      WHERE w.status = 'pending' AND w.tenant = NEW.tenant AND w.receiver = NEW.receiver AND w.lease_ms IS NULL
      ORDER BY w.due_ms, w.id LIMIT 1)
  WHERE tenant = NEW.tenant AND receiver = NEW.receiver;
  DELETE FROM webhook_receivers
  WHERE tenant = NEW.tenant AND receiver = NEW.receiver AND calls = 0 AND due_ms IS NULL;
  UPDATE webhook_lanes SET
    calls = (SELECT count(*) FROM webhooks AS w
      WHERE w.tenant = NEW.tenant AND w.lease_ms IS NOT NULL AND w.slow = webhook_lanes.slow),
    due_ms = (SELECT r.ready_ms FROM webhook_receivers AS r
      WHERE r.tenant = NEW.tenant AND r.slow = webhook_lanes.slow AND r.ready_ms IS NOT NULL ORDER BY r.ready_ms LIMIT 1)
  WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER webhooks_entered AFTER INSERT ON webhooks WHEN NEW.status = 'pending' BEGIN
  INSERT INTO webhook_changes VALUES (NEW.tenant, NEW.receiver);
END;
CREATE TRIGGER webhooks_changed AFTER UPDATE OF due_ms, lease_ms ON webhooks BEGIN
  INSERT INTO webhook_changes VALUES (NEW.tenant, NEW.receiver);
END;
CREATE TRIGGER webhooks_struck AFTER DELETE ON webhooks WHEN OLD.status = 'pending' BEGIN
  INSERT INTO webhook_changes VALUES (OLD.tenant, OLD.receiver);
END;
CREATE TRIGGER webhooks_answered AFTER UPDATE OF timed_out ON webhooks BEGIN
  UPDATE webhook_receivers SET
    timeouts = CASE NEW.timed_out WHEN 1 THEN timeouts + 1 ELSE 0 END,
    slow = CASE WHEN NEW.timed_out = 1 AND timeouts > 0 THEN 1 ELSE 0 END
  WHERE tenant = NEW.tenant AND receiver = NEW.receiver;
  INSERT INTO webhook_changes VALUES (NEW.tenant, NEW.receiver);
END;

CREATE TABLE api_keys (
  hash TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  used_at INTEGER
) STRICT;
CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER) STRICT;
CREATE TABLE suspensions (tenant TEXT PRIMARY KEY, since INTEGER NOT NULL) STRICT;

CREATE TABLE files (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL,
  filename TEXT NOT NULL,
  purpose TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX files_newest ON files (tenant, sequence);
CREATE INDEX files_age ON files (created_at);

CREATE TABLE voices (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'failed')),
  parameters TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX voices_of_tenant ON voices (tenant, sequence);

-- Keys of requests that made a task or a file.
CREATE TABLE idempotency_keys (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  task_id TEXT REFERENCES tasks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  file_id TEXT REFERENCES files (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (tenant, key),
  CHECK ((task_id IS NULL) <> (file_id IS NULL))
) STRICT;
CREATE INDEX idempotency_keys_task ON idempotency_keys (task_id);
CREATE INDEX idempotency_keys_file ON idempotency_keys (file_id);

-- Responses to requests with a key that made neither.
CREATE TABLE responses (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  response TEXT NOT NULL,
  stored_ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, key)
) STRICT;
CREATE INDEX responses_age ON responses (stored_ms);

-- Tenants' objects in the folder, and the sums of their bytes: adding up all objects for each read takes too long.
CREATE TABLE objects (
  area TEXT NOT NULL,
  name TEXT NOT NULL,
  tenant TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (area, name)
) STRICT;
CREATE INDEX objects_of_tenant ON objects (tenant, bytes);
CREATE TABLE area_bytes (area TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
CREATE TRIGGER objects_entered AFTER INSERT ON objects BEGIN
  INSERT INTO area_bytes VALUES (NEW.area, NEW.bytes) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER objects_changed AFTER UPDATE OF bytes ON objects BEGIN
  UPDATE area_bytes SET bytes = bytes + NEW.bytes - OLD.bytes WHERE area = NEW.area;
END;
CREATE TRIGGER objects_struck AFTER DELETE ON objects BEGIN
  UPDATE area_bytes SET bytes = bytes - OLD.bytes WHERE area = OLD.area;
END;

CREATE TABLE usage (
  day TEXT NOT NULL,
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  slot INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  speech_ms INTEGER NOT NULL,
  recording_ms INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,
  PRIMARY KEY (day, tenant, kind, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE usage_batches (counter TEXT PRIMARY KEY, number INTEGER NOT NULL, day TEXT NOT NULL) STRICT;

-- Operators' records are few among many: their index finds them.
CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL CHECK (actor IN ('client', 'operator', 'service')),
  action TEXT NOT NULL,
  tenant TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
CREATE INDEX audit_operators ON audit (sequence) WHERE actor <> 'client';
CREATE TRIGGER audit_is_appended BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'Records of the audit log never change'); END;

-- How far the database has come: see folder-mark.ts. It has one row.
CREATE TABLE folder_mark (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  id TEXT NOT NULL,
  mark INTEGER NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
