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

-- Offers what time has made ready: jobs whose lease has lapsed, and shares that are due for another look. Once a minute
-- it compares the shares of each work class with the waiting jobs. Waits for no other claim.
CREATE FUNCTION svc_audio.tend_queue(moment bigint) RETURNS void LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  class text;
BEGIN
  -- One at a time: two that return jobs of the same tenants could wait for each other.
  IF pg_try_advisory_xact_lock(hashtextextended('svc_audio tend_queue', 0)) THEN
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
        WITH RECURSIVE waiting AS (
          (SELECT j.tenant FROM svc_audio.jobs AS j WHERE j.lease_ms IS NULL
           ORDER BY j.tenant, svc_audio.work_class_of(j.kind), j.sequence LIMIT 1)
          UNION ALL
          SELECT (SELECT j.tenant FROM svc_audio.jobs AS j WHERE j.lease_ms IS NULL AND j.tenant > waiting.tenant
            ORDER BY j.tenant, svc_audio.work_class_of(j.kind), j.sequence LIMIT 1)
          FROM waiting WHERE waiting.tenant IS NOT NULL
        ) SELECT tenant FROM waiting
      ) AND EXISTS (SELECT FROM svc_audio.jobs AS j
        WHERE j.lease_ms IS NULL AND j.tenant = missed.tenant AND svc_audio.work_class_of(j.kind) = class)
      FOR UPDATE SKIP LOCKED);
  END LOOP;
END $$;

-- Offers the shares of a work class again that were found empty a moment ago and have a job now: it may have been stored
-- at that moment. Compares all shares with the waiting jobs when that is due. Returns whether it has offered one.
CREATE FUNCTION svc_audio.settle_work_class(class text, moment bigint) RETURNS boolean LANGUAGE plpgsql
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
    PERFORM svc_audio.tend_queue(moment);
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
  waits boolean DEFAULT false
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
  ELSIF random() < 0.01 OR EXISTS (SELECT FROM svc_audio.jobs AS j WHERE j.lease_ms <= moment)
    OR EXISTS (SELECT FROM svc_audio.shares AS s WHERE s.look_ms <= moment) THEN
    nothing := svc_audio.tend_queue(moment);
  END IF;
  FOREACH class IN ARRAY wanted LOOP
    has_settled := false;
    WHILE amount > 0 LOOP
      SELECT s.* INTO share FROM svc_audio.shares AS s
      WHERE s.work_class = class AND s.state = 'offered' AND NOT s.paused
      ORDER BY s.spent, s.turn LIMIT 1 FOR UPDATE SKIP LOCKED;
      IF share.tenant IS NULL THEN
        EXIT WHEN has_settled OR NOT svc_audio.settle_work_class(class, moment);
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

-- Claims the next webhook call. Of the tenants with a due call, the one with the fewest calls in flight is next, then the
-- one whose turn is longest ago. Within a tenant the longest due call is first. One claim runs at a time in the whole
-- cluster, and an idle process takes no lock. Its commit does not wait for the disk: see `claim_tasks`.
CREATE FUNCTION svc_audio.claim_webhook(at_ms bigint, lease_length bigint, most bigint) RETURNS TABLE (
  webhook text, url text, attempt integer, token bigint, ended_ms bigint,
  id text, tenant text, kind text, status text, model text, created_at bigint, updated_at bigint,
  result text, error text, webhook_url text, trace text
) LANGUAGE plpgsql SET search_path = svc_audio, pg_temp AS $$
#variable_conflict use_column
DECLARE
  moment bigint := coalesce(at_ms, now_ms());
  chosen text;
  owner text;
  call webhooks;
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks WHERE status = 'pending' AND ready_ms <= moment) THEN RETURN; END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(hashtextextended('svc_audio claim_webhook', 0));
  LOOP
    moment := coalesce(at_ms, now_ms());
    WITH RECURSIVE queues AS (
      (SELECT tenant FROM webhooks WHERE status = 'pending' ORDER BY tenant LIMIT 1)
      UNION ALL
      SELECT next.tenant FROM queues CROSS JOIN LATERAL (
        SELECT tenant FROM webhooks WHERE status = 'pending' AND webhooks.tenant > queues.tenant
        ORDER BY tenant LIMIT 1
      ) AS next
    ), offers AS (
      SELECT queues.tenant, ready.id AS first FROM queues CROSS JOIN LATERAL (
        SELECT id FROM webhooks
        WHERE status = 'pending' AND webhooks.tenant = queues.tenant AND due_ms <= moment AND ready_ms <= moment
        ORDER BY due_ms, id LIMIT 1
      ) AS ready
    ), running AS (
      SELECT tenant, count(*) AS calls FROM webhooks WHERE lease_ms > moment GROUP BY tenant
    )
    SELECT offers.first, offers.tenant INTO chosen, owner
    FROM offers LEFT JOIN running ON running.tenant = offers.tenant
    LEFT JOIN webhook_turns AS turns ON turns.tenant = offers.tenant
    WHERE coalesce(running.calls, 0) < most
    ORDER BY coalesce(running.calls, 0), coalesce(turns.turn, 0), offers.first LIMIT 1;
    IF chosen IS NULL THEN RETURN; END IF;
    UPDATE webhooks SET token = greatest(webhooks.token + 1, moment), attempts = webhooks.attempts + 1,
      lease_ms = moment + lease_length
    WHERE webhooks.id = chosen AND webhooks.status = 'pending' AND ready_ms <= moment RETURNING * INTO call;
    EXIT WHEN FOUND;
  END LOOP;
  INSERT INTO webhook_turns VALUES (owner, nextval('turn'))
  ON CONFLICT ON CONSTRAINT webhook_turns_pkey DO UPDATE SET turn = excluded.turn;
  RETURN QUERY SELECT call.id, call.url, call.attempts, call.token, call.created_ms,
    t.id, t.tenant, t.kind, t.status, t.model, t.created_at, t.updated_at, t.result, t.error, t.webhook_url, t.trace
    FROM tasks AS t WHERE t.id = call.task_id;
END $$;
