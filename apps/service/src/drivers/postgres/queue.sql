-- The queue of a cluster. The plans of its functions are made once for each connection. Their settings make the one plan
-- use the indexes, also if it was made for empty tables.

-- The start of the last claim of a work class: the sum that its share had before it. It is the virtual time of the work
-- class, which no share returns to the queue below.
CREATE FUNCTION svc_audio.reached_in(class text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT s.started FROM svc_audio.shares AS s WHERE s.work_class = class ORDER BY s.started DESC LIMIT 1), 0)
$$;

-- Updates the state of a share with its jobs. A share is `offered` while a claim may find a job in it, `empty` after a
-- claim has found none, and `full` at its tenant's limit of leases. A share that is already offered is only read:
-- accepting waits for no claim.
CREATE FUNCTION svc_audio.offer_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE svc_audio.shares AS s SET state = 'offered', looks = 0, look_ms = NULL,
      spent = greatest(s.spent, svc_audio.reached_in(s.work_class))
    WHERE s.tenant = OLD.tenant AND s.work_class = svc_audio.work_class_of(OLD.kind) AND s.state = 'full';
    RETURN NULL;
  END IF;
  -- A new job does not help a tenant at its limit. A returned one ends a lease.
  IF EXISTS (SELECT FROM svc_audio.shares AS s
    WHERE s.tenant = NEW.tenant AND s.work_class = svc_audio.work_class_of(NEW.kind)
      AND (s.state = 'offered' OR (s.state = 'full' AND TG_OP = 'INSERT'))) THEN
    RETURN NULL;
  END IF;
  -- A tenant without a turn comes before those with one, in the order of its first job.
  INSERT INTO svc_audio.shares AS s (tenant, work_class, spent, turn, state)
  SELECT NEW.tenant, class, svc_audio.reached_in(class), NEW.sequence - (1::bigint << 62), 'offered'
  FROM svc_audio.work_class_of(NEW.kind) AS class
  ON CONFLICT (tenant, work_class) DO UPDATE
    SET state = 'offered', looks = 0, look_ms = NULL, spent = greatest(s.spent, excluded.spent)
    WHERE s.state = 'empty' OR TG_OP = 'UPDATE';
  RETURN NULL;
END $$;
CREATE TRIGGER offer_new AFTER INSERT ON svc_audio.jobs
FOR EACH ROW WHEN (NEW.lease_ms IS NULL) EXECUTE FUNCTION svc_audio.offer_share();
CREATE TRIGGER offer_returned AFTER UPDATE OF lease_ms ON svc_audio.jobs
FOR EACH ROW WHEN (OLD.lease_ms IS NOT NULL AND NEW.lease_ms IS NULL) EXECUTE FUNCTION svc_audio.offer_share();
CREATE TRIGGER offer_next AFTER DELETE ON svc_audio.jobs
FOR EACH ROW WHEN (OLD.lease_ms IS NOT NULL) EXECUTE FUNCTION svc_audio.offer_share();

-- The tenants with waiting jobs, by one step through an index for each, however many jobs there are. PostgreSQL takes it into
-- the plan of its caller, whose settings count.
CREATE FUNCTION svc_audio.waiting_tenants() RETURNS TABLE (tenant text) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE waiting AS (
    (SELECT j.tenant FROM svc_audio.jobs AS j WHERE j.lease_ms IS NULL
     ORDER BY j.tenant, svc_audio.work_class_of(j.kind), j.sequence LIMIT 1)
    UNION ALL
    SELECT (SELECT j.tenant FROM svc_audio.jobs AS j WHERE j.lease_ms IS NULL AND j.tenant > waiting.tenant
      ORDER BY j.tenant, svc_audio.work_class_of(j.kind), j.sequence LIMIT 1)
    FROM waiting WHERE waiting.tenant IS NOT NULL
  ) SELECT w.tenant FROM waiting AS w WHERE w.tenant IS NOT NULL
$$;

-- Offers what time has made ready: jobs whose lease has lapsed, and shares that are due for another look. Once a minute
-- it compares the shares of each work class with the waiting jobs. Waits for no other claim. Without `lapsing`, lapsed leases
-- stay: after a pause of the database, their holders have not yet been able to renew them.
CREATE FUNCTION svc_audio.tend_queue(moment bigint, lapsing boolean DEFAULT true) RETURNS void LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  class text;
BEGIN
  -- One at a time: two that return jobs of the same tenants could wait for each other.
  IF lapsing AND pg_try_advisory_xact_lock(hashtextextended('svc_audio tend_queue', 0)) THEN
    UPDATE svc_audio.jobs SET lease_ms = NULL WHERE sequence IN (
      SELECT j.sequence FROM svc_audio.jobs AS j WHERE j.lease_ms <= moment ORDER BY j.lease_ms LIMIT 100
      FOR UPDATE SKIP LOCKED);
  END IF;
  UPDATE svc_audio.shares AS s
  SET state = 'offered', look_ms = NULL, spent = greatest(s.spent, svc_audio.reached_in(s.work_class))
  FROM (
    SELECT due.tenant, due.work_class FROM svc_audio.shares AS due WHERE due.look_ms <= moment
    ORDER BY due.look_ms LIMIT 50 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE s.tenant = due.tenant AND s.work_class = due.work_class;
  FOR class IN SELECT w.work_class FROM svc_audio.work_classes AS w WHERE w.check_ms <= moment FOR UPDATE SKIP LOCKED LOOP
    UPDATE svc_audio.work_classes SET check_ms = moment + 60000 WHERE work_class = class;
    -- An offer is missed if a job is stored long after its share was found empty: while a commit waits for a standby.
    UPDATE svc_audio.shares AS s
    SET state = 'offered', looks = 0, look_ms = NULL, spent = greatest(s.spent, svc_audio.reached_in(s.work_class))
    WHERE s.work_class = class AND s.tenant IN (
      SELECT missed.tenant FROM svc_audio.shares AS missed
      WHERE missed.work_class = class AND missed.state = 'empty' AND missed.look_ms IS NULL AND missed.tenant IN (
        SELECT waiting.tenant FROM svc_audio.waiting_tenants() AS waiting
      ) AND EXISTS (SELECT FROM svc_audio.jobs AS j
        WHERE j.lease_ms IS NULL AND j.tenant = missed.tenant AND svc_audio.work_class_of(j.kind) = class)
      FOR UPDATE SKIP LOCKED);
  END LOOP;
END $$;

-- Offers the shares of a work class again that were found empty a moment ago and have a job now: it may have been stored
-- at that moment. Compares all shares with the waiting jobs when that is due. Returns whether it has offered one.
CREATE FUNCTION svc_audio.settle_work_class(class text, moment bigint, lapsing boolean) RETURNS boolean LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  settling boolean;
  late boolean;
BEGIN
  SELECT EXISTS (SELECT FROM svc_audio.shares AS s
      WHERE s.look_ms IS NOT NULL AND s.state = 'empty' AND s.work_class = class),
    EXISTS (SELECT FROM svc_audio.work_classes AS w WHERE w.check_ms <= moment)
  INTO settling, late;
  IF late THEN
    PERFORM svc_audio.tend_queue(moment, lapsing);
  END IF;
  IF settling THEN
    UPDATE svc_audio.shares AS s
    SET state = 'offered', look_ms = NULL, spent = greatest(s.spent, svc_audio.reached_in(class))
    FROM (
      SELECT e.tenant, e.work_class FROM svc_audio.shares AS e
      WHERE e.look_ms IS NOT NULL AND e.state = 'empty' AND e.work_class = class AND EXISTS (
        SELECT FROM svc_audio.jobs AS j WHERE j.lease_ms IS NULL AND j.due_ms <= moment
          AND j.tenant = e.tenant AND svc_audio.work_class_of(j.kind) = e.work_class)
      ORDER BY e.look_ms LIMIT 20 FOR UPDATE SKIP LOCKED
    ) AS e WHERE s.tenant = e.tenant AND s.work_class = e.work_class;
    RETURN FOUND OR late;
  END IF;
  RETURN late;
END $$;

-- Claims jobs of some work classes, the first work class with a job first, up to an amount. Within a work class the share
-- whose tasks have cost the least is next, then the one whose turn is longest ago. Two claims at the same time take from two shares, and
-- neither waits. The work does not depend on the number of jobs, tenants or leases.
--
-- The commit does not wait for the disk, because claims of the same tenant wait for it. A crash of the database may
-- forget the last claims. Their tasks are then claimed again. The tokens contain the time, so none returns: the workers
-- of the forgotten claims find that they have lost their leases.
--
-- Each job carries the id of its claim. A process whose claim got no response finds the jobs of the claim by that id.
--
-- A claim that takes nothing while other claims have shares of its work classes returns one row of nulls: those shares may have
-- more jobs, so it is to be repeated, with `waits`. Such a claim first waits for the best of those shares. It waits once,
-- and before it locks any row. A row that has changed stays locked when it is passed over, so two claims that waited
-- later could hold what the other waits for.
--
-- Without sorts, only `jobs_waiting` gives the first job of a share: with them, the planner may read and sort all
-- jobs of the tenant, leased ones included.
CREATE FUNCTION svc_audio.claim_tasks(
  at_ms bigint, lease_length bigint, most bigint, wanted text[], amount integer, claim_id uuid,
  waits boolean DEFAULT false, lapsing boolean DEFAULT true
) RETURNS TABLE (
  token bigint, attempts integer, request text, input text,
  id text, tenant text, kind text, status text, model text, created_at bigint, updated_at bigint,
  result text, error text, webhook_url text, trace text
) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
  SET enable_sort = off SET enable_incremental_sort = off AS $$
#variable_conflict use_column
DECLARE
  moment bigint := coalesce(at_ms, svc_audio.now_ms());
  class text;
  has_taken boolean := false;
  has_settled boolean;
  share svc_audio.shares;
  job svc_audio.jobs;
  held bigint;
  awaited text;
  nothing text;
BEGIN
  nothing := set_config('synchronous_commit', 'off', true);
  IF waits THEN
    FOREACH class IN ARRAY wanted LOOP
      SELECT s.tenant INTO awaited FROM svc_audio.shares AS s
      WHERE s.work_class = class AND s.state = 'offered' AND NOT s.paused
      ORDER BY s.spent, s.turn LIMIT 1;
      IF FOUND THEN
        PERFORM FROM svc_audio.shares AS s WHERE s.tenant = awaited AND s.work_class = class FOR UPDATE;
        EXIT;
      END IF;
    END LOOP;
  -- Tending waits for shares, which a claim that has one must not do.
  ELSIF random() < 0.01 OR (lapsing AND EXISTS (SELECT FROM svc_audio.jobs AS j WHERE j.lease_ms <= moment))
    OR EXISTS (SELECT FROM svc_audio.shares AS s WHERE s.look_ms <= moment) THEN
    nothing := svc_audio.tend_queue(moment, lapsing);
  END IF;
  FOREACH class IN ARRAY wanted LOOP
    has_settled := false;
    WHILE amount > 0 LOOP
      SELECT s.* INTO share FROM svc_audio.shares AS s
      WHERE s.work_class = class AND s.state = 'offered' AND NOT s.paused
      ORDER BY s.spent, s.turn LIMIT 1 FOR UPDATE SKIP LOCKED;
      IF share.tenant IS NULL THEN
        EXIT WHEN has_settled OR NOT svc_audio.settle_work_class(class, moment, lapsing);
        has_settled := true;
        CONTINUE;
      END IF;
      IF share.leases >= most THEN
        -- Ends do not wait for the row of the share, so its number is the most that there may be.
        SELECT count(*) INTO held FROM (
          SELECT FROM svc_audio.jobs AS j WHERE j.tenant = share.tenant AND svc_audio.work_class_of(j.kind) = class
            AND j.lease_ms > moment AND j.request IS NOT NULL LIMIT most
        ) AS counted;
        IF held >= most THEN
          UPDATE svc_audio.shares AS s SET state = 'full', leases = held, looks = 1,
            look_ms = moment + CASE s.looks WHEN 0 THEN 50 ELSE 2000 END
          WHERE s.tenant = share.tenant AND s.work_class = class;
          share := NULL;
          CONTINUE;
        END IF;
        share.leases := held;
      END IF;
      -- Two bounds instead of an equation: with one, the planner may read by sequence, past the jobs of others.
      UPDATE svc_audio.jobs AS j SET token = greatest(j.token + 1, moment), attempts = j.attempts + 1,
        lease_ms = moment + lease_length, claim = claim_id
      WHERE j.ctid = (
        SELECT first.ctid FROM svc_audio.jobs AS first WHERE first.lease_ms IS NULL AND first.due_ms <= moment
          AND (first.tenant, svc_audio.work_class_of(first.kind)) >= (share.tenant, class)
          AND (first.tenant, svc_audio.work_class_of(first.kind)) <= (share.tenant, class)
        ORDER BY first.tenant, svc_audio.work_class_of(first.kind), first.sequence LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING j.* INTO job;
      IF NOT FOUND THEN
        UPDATE svc_audio.shares AS s SET state = 'empty', looks = least(s.looks + 1, 2), look_ms = least(
            CASE s.looks WHEN 0 THEN moment + 50 WHEN 1 THEN moment + 1000 END,
            (SELECT min(j.due_ms) FROM svc_audio.jobs AS j WHERE j.lease_ms IS NULL AND j.tenant = share.tenant
               AND svc_audio.work_class_of(j.kind) = class AND j.due_ms > moment))
        WHERE s.tenant = share.tenant AND s.work_class = class;
        share := NULL;
        CONTINUE;
      END IF;
      -- New tenants start from the largest start: see reached_in.
      RETURN QUERY WITH charged AS (
        UPDATE svc_audio.shares AS s SET spent = share.spent + job.cost, started = share.spent,
          turn = nextval('svc_audio.turn'), leases = share.leases + 1, looks = 0
        WHERE s.tenant = share.tenant AND s.work_class = class
      ) UPDATE svc_audio.tasks AS t SET status = 'PROCESSING',
        updated_at = CASE t.status WHEN 'PENDING' THEN moment / 1000 ELSE t.updated_at END
      WHERE t.id = job.task_id
      RETURNING job.token, job.attempts, job.request, job.input, t.id, t.tenant, t.kind, t.status, t.model,
        t.created_at, t.updated_at, t.result, t.error, t.webhook_url, t.trace;
      has_taken := true;
      amount := amount - 1;
      share := NULL;
    END LOOP;
  END LOOP;
  IF NOT has_taken AND EXISTS (
    SELECT FROM svc_audio.shares AS s WHERE s.work_class = ANY (wanted) AND s.state = 'offered' AND NOT s.paused) THEN
    RETURN NEXT;
  END IF;
END $$;

-- The number of jobs. Beyond 10,000 it is the estimate of the statistics.
CREATE FUNCTION svc_audio.count_jobs() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN counted.amount <= 10000 THEN counted.amount ELSE greatest(counted.amount, (
    SELECT s.n_live_tup FROM pg_stat_user_tables AS s WHERE s.schemaname = 'svc_audio' AND s.relname = 'jobs')) END
  FROM (SELECT count(*) AS amount FROM (SELECT FROM svc_audio.jobs LIMIT 10001) AS part) AS counted
$$;

-- The oldest due job of each tenant in a work class, and jobs whose lease has lapsed. It takes a step through an index for
-- each tenant with waiting jobs, however many there are. Without a moment, every job is due.
CREATE FUNCTION svc_audio.first_jobs(class text, moment bigint)
RETURNS TABLE (tenant text, due_ms bigint, created_ms bigint, paused boolean) LANGUAGE sql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
  WITH firsts AS (
    SELECT first.tenant, first.due_ms, first.created_ms FROM svc_audio.waiting_tenants() AS waiting, LATERAL (
      SELECT j.tenant, j.due_ms, j.created_ms FROM svc_audio.jobs AS j
      WHERE j.lease_ms IS NULL AND j.tenant = waiting.tenant AND svc_audio.work_class_of(j.kind) = class
        AND (moment IS NULL OR j.due_ms <= moment)
      ORDER BY j.tenant, svc_audio.work_class_of(j.kind), j.sequence LIMIT 1
    ) AS first
    UNION ALL
    (SELECT j.tenant, j.due_ms, j.created_ms FROM svc_audio.jobs AS j
     WHERE j.lease_ms <= moment AND svc_audio.work_class_of(j.kind) = class ORDER BY j.lease_ms LIMIT 100)
  )
  SELECT f.tenant, f.due_ms, f.created_ms, EXISTS (
    SELECT FROM svc_audio.shares AS s WHERE s.tenant = f.tenant AND s.work_class = class AND s.paused)
  FROM firsts AS f
$$;

-- The age of the oldest due job of a work class in seconds, without those of paused tenants, for an autoscaler. It needs no
-- right to the tables.
CREATE FUNCTION svc_audio.oldest_wait_seconds(class text) RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = svc_audio, pg_temp AS $$
  SELECT coalesce(max(svc_audio.now_ms() - f.due_ms), 0) / 1000
  FROM svc_audio.first_jobs(class, svc_audio.now_ms()) AS f WHERE NOT f.paused
$$;

-- Locks the lanes of a tenant, and makes missing ones. Whoever changes calls of several tenants changes them one tenant
-- after another, and only the sweep does that.
CREATE FUNCTION svc_audio.lock_lanes(owner text) RETURNS void LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
  LOOP
    PERFORM FROM svc_audio.webhook_lanes AS l WHERE l.tenant = owner AND l.slow = 0 FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO svc_audio.webhook_lanes (tenant, slow) VALUES (owner, 0), (owner, 1) ON CONFLICT DO NOTHING;
  END LOOP;
END $$;

-- Computes a receiver and the lanes of its tenant again from the calls: those in flight, and the next due one.
CREATE FUNCTION svc_audio.change_webhook() RETURNS trigger LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  call svc_audio.webhooks;
  in_flight integer;
  next_due bigint;
BEGIN
  IF TG_OP = 'DELETE' THEN call := OLD; ELSE call := NEW; END IF;
  PERFORM svc_audio.lock_lanes(call.tenant);
  IF TG_NARGS > 0 THEN
    UPDATE svc_audio.webhook_receivers AS r SET
      timeouts = CASE call.timed_out WHEN 1 THEN r.timeouts + 1 ELSE 0 END,
      slow = CASE WHEN call.timed_out = 1 AND r.timeouts > 0 THEN 1 ELSE 0 END
    WHERE r.tenant = call.tenant AND r.receiver = call.receiver;
    RETURN NULL;
  END IF;
  SELECT count(*) INTO in_flight FROM svc_audio.webhooks AS w
  WHERE w.tenant = call.tenant AND w.receiver = call.receiver AND w.lease_ms IS NOT NULL;
  SELECT w.due_ms INTO next_due FROM svc_audio.webhooks AS w
  WHERE w.status = 'pending' AND w.tenant = call.tenant AND w.receiver = call.receiver AND w.lease_ms IS NULL
  ORDER BY w.due_ms, w.id LIMIT 1;
  IF in_flight = 0 AND next_due IS NULL THEN
    DELETE FROM svc_audio.webhook_receivers AS r WHERE r.tenant = call.tenant AND r.receiver = call.receiver;
  ELSE
    INSERT INTO svc_audio.webhook_receivers AS r (tenant, receiver, calls, due_ms)
    VALUES (call.tenant, call.receiver, in_flight, next_due)
    ON CONFLICT (tenant, receiver) DO UPDATE SET calls = excluded.calls, due_ms = excluded.due_ms;
  END IF;
  UPDATE svc_audio.webhook_lanes AS l SET
    calls = (SELECT count(*) FROM svc_audio.webhooks AS w
      WHERE w.tenant = l.tenant AND w.lease_ms IS NOT NULL AND w.slow = l.slow),
    due_ms = (SELECT r.ready_ms FROM svc_audio.webhook_receivers AS r
      WHERE r.tenant = l.tenant AND r.slow = l.slow AND r.ready_ms IS NOT NULL ORDER BY r.ready_ms LIMIT 1)
  WHERE l.tenant = call.tenant AND l.slow IN (0, 1);
  RETURN NULL;
END $$;
-- Triggers run in the order of their names: a receiver is slow before its lanes are computed.
CREATE TRIGGER answered AFTER UPDATE OF timed_out ON svc_audio.webhooks
FOR EACH ROW EXECUTE FUNCTION svc_audio.change_webhook('answered');
CREATE TRIGGER changed AFTER UPDATE OF due_ms, lease_ms ON svc_audio.webhooks
FOR EACH ROW EXECUTE FUNCTION svc_audio.change_webhook();
CREATE TRIGGER entered AFTER INSERT ON svc_audio.webhooks
FOR EACH ROW WHEN (NEW.status = 'pending') EXECUTE FUNCTION svc_audio.change_webhook();
CREATE TRIGGER struck AFTER DELETE ON svc_audio.webhooks
FOR EACH ROW WHEN (OLD.status = 'pending') EXECUTE FUNCTION svc_audio.change_webhook();

-- Returns calls of one tenant to the queue whose leases have lapsed. Without such calls, gives back the turns of one tenant
-- that are more than a second in the future: the clock of the database has gone back. Returns whether there were some.
CREATE FUNCTION svc_audio.return_webhooks(at_ms bigint) RETURNS boolean LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  moment bigint := coalesce(at_ms, svc_audio.now_ms());
  owner text;
BEGIN
  SELECT w.tenant INTO owner FROM svc_audio.webhooks AS w WHERE w.lease_ms <= moment ORDER BY w.lease_ms LIMIT 1;
  IF owner IS NULL THEN
    SELECT l.tenant INTO owner FROM svc_audio.webhook_lanes AS l WHERE l.turn_ms > moment + 1000 ORDER BY l.turn_ms LIMIT 1;
    IF owner IS NULL THEN RETURN false; END IF;
    PERFORM svc_audio.lock_lanes(owner);
    UPDATE svc_audio.webhook_receivers AS r SET turn_ms = moment WHERE r.tenant = owner AND r.turn_ms > moment;
    UPDATE svc_audio.webhook_lanes AS l SET turn_ms = least(l.turn_ms, moment),
      due_ms = (SELECT r.ready_ms FROM svc_audio.webhook_receivers AS r
        WHERE r.tenant = owner AND r.slow = l.slow AND r.ready_ms IS NOT NULL ORDER BY r.ready_ms LIMIT 1)
    WHERE l.tenant = owner;
    RETURN true;
  END IF;
  PERFORM svc_audio.lock_lanes(owner);
  -- A worker that records an outcome has its call, and waits for the lanes.
  UPDATE svc_audio.webhooks AS w SET lease_ms = NULL WHERE w.id IN (
    SELECT lapsed.id FROM svc_audio.webhooks AS lapsed
    WHERE lapsed.tenant = owner AND lapsed.lease_ms IS NOT NULL AND lapsed.lease_ms <= moment FOR UPDATE SKIP LOCKED);
  RETURN FOUND;
END $$;

-- Claims the next webhook call of a lane. Of the tenants with a due call, the one with the fewest calls in flight is next,
-- then the one that has waited longest: since its call was due, or since its last turn. Of its receivers, it is the same.
-- Of a receiver, the longest due call is first. Each step is a search in an index, so the work does not depend on the
-- number of tenants, receivers or calls. The commit does not wait for the disk: see `claim_tasks`.
--
-- A claim that finds its tenant served by another in the meantime returns one row of nulls: it is to be repeated. It does
-- not look for another tenant itself: two claims that each hold one could wait for each other.
CREATE FUNCTION svc_audio.claim_webhook(at_ms bigint, lease_length bigint, most bigint, lane smallint) RETURNS TABLE (
  webhook text, url text, attempt integer, token bigint, ended_ms bigint,
  id text, tenant text, kind text, status text, model text, created_at bigint, updated_at bigint,
  result text, error text, webhook_url text, trace text
) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
  SET enable_sort = off SET enable_incremental_sort = off AS $$
#variable_conflict use_column
DECLARE
  moment bigint := coalesce(at_ms, svc_audio.now_ms());
  level integer := -1;
  owner text;
  target text;
  chosen text;
  number bigint;
  call svc_audio.webhooks;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  LOOP
    SELECT l.calls INTO level FROM svc_audio.webhook_lanes AS l
    WHERE l.slow = lane AND l.ready_ms IS NOT NULL AND l.calls > level AND l.calls < most ORDER BY l.calls LIMIT 1;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT l.tenant INTO owner FROM svc_audio.webhook_lanes AS l
    WHERE l.slow = lane AND l.calls = level AND l.ready_ms <= moment AND l.ready_ms IS NOT NULL
    ORDER BY l.ready_ms, l.turn LIMIT 1;
    EXIT WHEN FOUND;
  END LOOP;
  PERFORM svc_audio.lock_lanes(owner);
  moment := coalesce(at_ms, svc_audio.now_ms());
  IF (SELECT l.calls < most FROM svc_audio.webhook_lanes AS l WHERE l.tenant = owner AND l.slow = lane) THEN
    level := -1;
    LOOP
      SELECT r.calls INTO level FROM svc_audio.webhook_receivers AS r
      WHERE r.tenant = owner AND r.slow = lane AND r.ready_ms IS NOT NULL AND r.calls > level ORDER BY r.calls LIMIT 1;
      EXIT WHEN NOT FOUND;
      SELECT r.receiver INTO target FROM svc_audio.webhook_receivers AS r
      WHERE r.tenant = owner AND r.slow = lane AND r.calls = level AND r.ready_ms <= moment AND r.ready_ms IS NOT NULL
      ORDER BY r.ready_ms, r.turn LIMIT 1;
      EXIT WHEN FOUND;
    END LOOP;
    -- A call that is deleted at this moment is passed over.
    SELECT w.id INTO chosen FROM svc_audio.webhooks AS w
    WHERE w.status = 'pending' AND w.tenant = owner AND w.receiver = target AND w.due_ms <= moment
      AND w.lease_ms IS NULL
    ORDER BY w.due_ms, w.id LIMIT 1 FOR UPDATE SKIP LOCKED;
  END IF;
  IF chosen IS NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;
  number := nextval('svc_audio.turn');
  UPDATE svc_audio.webhook_receivers AS r SET turn_ms = moment, turn = number
  WHERE r.tenant = owner AND r.receiver = target;
  UPDATE svc_audio.webhook_lanes AS l SET turn_ms = moment, turn = number WHERE l.tenant = owner AND l.slow = lane;
  UPDATE svc_audio.webhooks AS w SET token = greatest(w.token + 1, moment), attempts = w.attempts + 1,
    lease_ms = moment + lease_length, slow = lane
  WHERE w.id = chosen RETURNING w.* INTO call;
  RETURN QUERY SELECT call.id, call.url, call.attempts, call.token, call.created_ms,
    t.id, t.tenant, t.kind, t.status, t.model, t.created_at, t.updated_at, t.result, t.error, t.webhook_url, t.trace
    FROM svc_audio.tasks AS t WHERE t.id = call.task_id;
END $$;
