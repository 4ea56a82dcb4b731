-- Keeps the state of a share in step with its jobs, whichever version of the program changes them. A share is `offered`
-- while a claim may find a job in it, `empty` after a claim has found none, and `full` at its tenant's limit of leases.
-- A share that is already offered is only read: accepting waits for no claim.
CREATE FUNCTION svc_audio.offer_share_2() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE svc_audio.shares AS s SET state = 'offered', looks = 0, look_ms = NULL,
      spent = greatest(s.spent, svc_audio.reached_in(s.lane))
    WHERE s.tenant = OLD.tenant AND s.lane = svc_audio.lane_of(OLD.kind) AND s.state = 'full';
    RETURN NULL;
  END IF;
  -- A new job does not help a tenant at its limit. A returned one ends a lease.
  IF EXISTS (SELECT FROM svc_audio.shares AS s
    WHERE s.tenant = NEW.tenant AND s.lane = svc_audio.lane_of(NEW.kind)
      AND (s.state = 'offered' OR (s.state = 'full' AND TG_OP = 'INSERT'))) THEN
    RETURN NULL;
  END IF;
  -- A tenant without a turn comes before those with one, in the order of its first job.
  INSERT INTO svc_audio.shares AS s (tenant, lane, spent, turn, state)
  SELECT NEW.tenant, l.lane, svc_audio.reached_in(l.lane), NEW.sequence - (1::bigint << 62), 'offered'
  FROM svc_audio.lanes AS l WHERE l.lane = svc_audio.lane_of(NEW.kind)
  ON CONFLICT (tenant, lane) DO UPDATE
    SET state = 'offered', looks = 0, look_ms = NULL, spent = greatest(s.spent, excluded.spent)
    WHERE s.state = 'empty' OR TG_OP = 'UPDATE';
  RETURN NULL;
END $$
