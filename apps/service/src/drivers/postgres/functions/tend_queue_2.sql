-- Offers what time has made ready: jobs whose lease has lapsed, and shares that are due for another look. Once a minute
-- it compares the shares of each lane with the waiting jobs. Waits for no other claim.
CREATE FUNCTION svc_audio.tend_queue_2(moment bigint) RETURNS void LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  place text;
BEGIN
  -- One at a time: two that return jobs of the same tenants could wait for each other.
  IF pg_try_advisory_xact_lock(hashtextextended('svc_audio tend_queue', 0)) THEN
    UPDATE svc_audio.jobs SET lease_ms = NULL WHERE sequence IN (
      SELECT j.sequence FROM svc_audio.jobs AS j WHERE j.lease_ms <= moment ORDER BY j.lease_ms LIMIT 100
      FOR UPDATE SKIP LOCKED);
  END IF;
  UPDATE svc_audio.shares AS s SET state = 'offered', look_ms = NULL, spent = greatest(s.spent, svc_audio.reached_in(s.lane))
  FROM (
    SELECT due.tenant, due.lane FROM svc_audio.shares AS due WHERE due.look_ms <= moment ORDER BY due.look_ms LIMIT 50
    FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE s.tenant = due.tenant AND s.lane = due.lane;
  FOR place IN SELECT l.lane FROM svc_audio.lanes AS l WHERE l.check_ms <= moment FOR UPDATE SKIP LOCKED LOOP
    UPDATE svc_audio.lanes SET check_ms = moment + 60000 WHERE lane = place;
    -- An offer is missed if a job is stored long after its share was found empty: while a commit waits for a standby.
    UPDATE svc_audio.shares AS s SET state = 'offered', looks = 0, look_ms = NULL, spent = greatest(s.spent, svc_audio.reached_in(s.lane))
    WHERE s.lane = place AND s.tenant IN (
      SELECT missed.tenant FROM svc_audio.shares AS missed
      WHERE missed.lane = place AND missed.state = 'empty' AND missed.look_ms IS NULL AND missed.tenant IN (
        WITH RECURSIVE waiting AS (
          (SELECT j.tenant FROM svc_audio.jobs AS j WHERE j.lease_ms IS NULL
           ORDER BY j.tenant, svc_audio.lane_of(j.kind), j.sequence LIMIT 1)
          UNION ALL
          SELECT (SELECT j.tenant FROM svc_audio.jobs AS j WHERE j.lease_ms IS NULL AND j.tenant > waiting.tenant
            ORDER BY j.tenant, svc_audio.lane_of(j.kind), j.sequence LIMIT 1)
          FROM waiting WHERE waiting.tenant IS NOT NULL
        ) SELECT tenant FROM waiting
      ) AND EXISTS (SELECT FROM svc_audio.jobs AS j
        WHERE j.lease_ms IS NULL AND j.tenant = missed.tenant AND svc_audio.lane_of(j.kind) = place)
      FOR UPDATE SKIP LOCKED);
  END LOOP;
END $$
