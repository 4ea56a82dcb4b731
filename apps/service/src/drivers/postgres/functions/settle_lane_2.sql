-- Offers the shares of a lane again that were found empty a moment ago and have a job now: it may have been stored at that
-- moment. Compares all shares with the waiting jobs when that is due. Returns whether it has offered one.
CREATE FUNCTION svc_audio.settle_lane_2(place text, moment bigint) RETURNS boolean LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  settling boolean;
  late boolean;
BEGIN
  SELECT EXISTS (SELECT FROM svc_audio.shares AS s WHERE s.look_ms IS NOT NULL AND s.state = 'empty' AND s.lane = place),
    EXISTS (SELECT FROM svc_audio.lanes AS l WHERE l.check_ms <= moment)
  INTO settling, late;
  IF late THEN
    PERFORM svc_audio.tend_queue_2(moment);
  END IF;
  IF settling THEN
    UPDATE svc_audio.shares AS s SET state = 'offered', look_ms = NULL, spent = greatest(s.spent, svc_audio.reached_in(place))
    FROM (
      SELECT e.tenant, e.lane FROM svc_audio.shares AS e
      WHERE e.look_ms IS NOT NULL AND e.state = 'empty' AND e.lane = place AND EXISTS (
        SELECT FROM svc_audio.jobs AS j WHERE j.lease_ms IS NULL AND j.due_ms <= moment
          AND j.tenant = e.tenant AND svc_audio.lane_of(j.kind) = e.lane)
      ORDER BY e.look_ms LIMIT 20 FOR UPDATE SKIP LOCKED
    ) AS e WHERE s.tenant = e.tenant AND s.lane = e.lane;
    RETURN FOUND OR late;
  END IF;
  RETURN late;
END $$
