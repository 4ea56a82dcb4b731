import { readFunction } from './sql-file.ts'

/**
 * The step to claims in the order of the shares. A share says by its state whether it may have a job, so a claim reads
 * one share and one job, however many there are. Triggers on the jobs offer the shares: earlier programs accept,
 * return and end jobs without knowing of them, and claim beside this program with their own function.
 */
export const FAIR_QUEUE: readonly string[] = [
  `ALTER TABLE svc_audio.shares ADD COLUMN state text NOT NULL DEFAULT 'empty' CHECK (state IN ('offered', 'empty', 'full'))`,
  // Tasks of a paused tenant stay in the queue.
  'ALTER TABLE svc_audio.shares ADD COLUMN paused boolean NOT NULL DEFAULT false',
  // The most leases that the tenant may have: ends do not count them down. At its limit they are counted.
  'ALTER TABLE svc_audio.shares ADD COLUMN leases bigint NOT NULL DEFAULT 0',
  // When to look again into a share that is not offered, and how often that was done.
  'ALTER TABLE svc_audio.shares ADD COLUMN look_ms bigint',
  'ALTER TABLE svc_audio.shares ADD COLUMN looks smallint NOT NULL DEFAULT 0',
  'ALTER TABLE svc_audio.lanes ADD COLUMN check_ms bigint NOT NULL DEFAULT 0',
  `CREATE INDEX shares_offered ON svc_audio.shares (lane, spent, turn) WHERE state = 'offered' AND NOT paused`,
  'CREATE INDEX shares_look ON svc_audio.shares (look_ms) WHERE look_ms IS NOT NULL',
  'CREATE INDEX shares_paused ON svc_audio.shares (tenant) WHERE paused',
  'CREATE INDEX jobs_in_lane ON svc_audio.jobs (tenant, svc_audio.lane_of(kind), sequence) WHERE lease_ms IS NULL',
  `CREATE INDEX jobs_held ON svc_audio.jobs (tenant, svc_audio.lane_of(kind), lease_ms)
   WHERE lease_ms IS NOT NULL AND request IS NOT NULL`,
  readFunction('offer_share'),
  readFunction('tend_queue_1'),
  readFunction('settle_lane_1'),
  readFunction('claim_tasks_1'),
  `CREATE TRIGGER offer_new AFTER INSERT ON svc_audio.jobs FOR EACH ROW
   WHEN (NEW.lease_ms IS NULL) EXECUTE FUNCTION svc_audio.offer_share()`,
  `CREATE TRIGGER offer_returned AFTER UPDATE OF lease_ms ON svc_audio.jobs FOR EACH ROW
   WHEN (OLD.lease_ms IS NOT NULL AND NEW.lease_ms IS NULL) EXECUTE FUNCTION svc_audio.offer_share()`,
  `CREATE TRIGGER offer_next AFTER DELETE ON svc_audio.jobs FOR EACH ROW
   WHEN (OLD.lease_ms IS NOT NULL) EXECUTE FUNCTION svc_audio.offer_share()`,
  // An earlier program counts no lease of its claims. It changes the turn, and does not know the other columns.
  readFunction('count_lease'),
  `CREATE TRIGGER count_lease BEFORE UPDATE OF turn ON svc_audio.shares FOR EACH ROW
   WHEN (NEW.turn <> OLD.turn AND NEW.leases = OLD.leases) EXECUTE FUNCTION svc_audio.count_lease()`,
  // No job is stored in between: making a trigger locks the table until the commit.
  `INSERT INTO svc_audio.shares AS s (tenant, lane, spent, turn, state, leases)
   SELECT j.tenant, l.lane, l.reached, min(j.sequence) - (1::bigint << 62),
     CASE count(*) - count(j.lease_ms) WHEN 0 THEN 'empty' ELSE 'offered' END, count(j.lease_ms)
   FROM svc_audio.jobs AS j JOIN svc_audio.lanes AS l ON l.lane = svc_audio.lane_of(j.kind) GROUP BY 1, 2, 3
   ON CONFLICT (tenant, lane) DO UPDATE
   SET state = excluded.state, leases = excluded.leases, spent = greatest(s.spent, excluded.spent)`,
]

/**
 * The step to claims that write three rows instead of four, and fewer entries of indexes. A share has the start of its
 * last claim, so a claim does not write the row of its lane. A claim changes no indexed column of its task: its new
 * version stays on the page of the old one if there is room. Earlier programs work without the index of what is ready, but more slowly.
 */
export const LEAN_CLAIMS: readonly string[] = [
  'ALTER TABLE svc_audio.shares ADD COLUMN started bigint NOT NULL DEFAULT 0',
  'CREATE INDEX shares_started ON svc_audio.shares (lane, started)',
  // When the task ended, in Unix seconds. This rewrites the table: some seconds for a million tasks.
  `ALTER TABLE svc_audio.tasks ADD COLUMN ended_at bigint
   GENERATED ALWAYS AS (CASE WHEN status IN ('SUCCESS', 'FAILED') THEN updated_at END) STORED`,
  'CREATE INDEX tasks_ended_at ON svc_audio.tasks (ended_at) WHERE ended_at IS NOT NULL',
  'DROP INDEX svc_audio.tasks_ended',
  'DROP INDEX svc_audio.tasks_status',
  'DROP INDEX svc_audio.jobs_ready',
  'ALTER TABLE svc_audio.tasks SET (fillfactor = 80)',
  readFunction('reached_in'),
  readFunction('offer_share_2'),
  readFunction('tend_queue_2'),
  readFunction('settle_lane_2'),
  readFunction('claim_tasks_4'),
  `CREATE OR REPLACE TRIGGER offer_new AFTER INSERT ON svc_audio.jobs FOR EACH ROW
   WHEN (NEW.lease_ms IS NULL) EXECUTE FUNCTION svc_audio.offer_share_2()`,
  `CREATE OR REPLACE TRIGGER offer_returned AFTER UPDATE OF lease_ms ON svc_audio.jobs FOR EACH ROW
   WHEN (OLD.lease_ms IS NOT NULL AND NEW.lease_ms IS NULL) EXECUTE FUNCTION svc_audio.offer_share_2()`,
  `CREATE OR REPLACE TRIGGER offer_next AFTER DELETE ON svc_audio.jobs FOR EACH ROW
   WHEN (OLD.lease_ms IS NOT NULL) EXECUTE FUNCTION svc_audio.offer_share_2()`,
]
