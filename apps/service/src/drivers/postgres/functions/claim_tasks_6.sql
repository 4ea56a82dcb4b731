-- Claims jobs of some lanes, the first lane with a job first, up to an amount. Within a lane the share whose tasks have
-- cost the least is next, then the one whose turn is longest ago. Two claims at the same time take from two shares, and
-- neither waits. The work does not depend on the number of jobs, tenants or leases.
--
-- The commit does not wait for the disk, because claims of the same tenant wait for it. A crash of the database may
-- forget the last claims. Their tasks are then claimed again. The tokens contain the time, so none returns: the workers
-- of the forgotten claims find that they have lost their leases.
--
-- Each job carries the id of its claim. A process that has not heard the answer finds the jobs of the claim by that id.
--
-- A claim that takes nothing while other claims have shares of its lanes returns one row of nulls: those shares may have
-- more jobs, so it is to be repeated, with `waits`. Such a claim first waits for the best of those shares. It waits once,
-- and before it locks any row. A row that has changed stays locked when it is passed over, so two claims that waited
-- later could hold what the other waits for.
--
-- Each connection plans its queries once. The settings make the one plan use the indexes, also if it was made for empty
-- tables. Without sorts, only `jobs_in_lane` gives the first job of a share: with them, the planner may read and sort all
-- jobs of the tenant, leased ones included.
CREATE FUNCTION svc_audio.claim_tasks_6(
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
  place text;
  has_taken boolean := false;
  has_settled boolean;
  share svc_audio.shares;
  job svc_audio.jobs;
  held bigint;
  awaited text;
  nothing text;
BEGIN
  nothing := set_config('synchronous_commit', 'off', true);
  -- Earlier programs claim one at a time, and count the leases of a tenant without a look at its share.
  nothing := pg_advisory_xact_lock_shared(hashtextextended('svc_audio claim_task', 0));
  IF waits THEN
    FOREACH place IN ARRAY wanted LOOP
      SELECT s.tenant INTO awaited FROM svc_audio.shares AS s WHERE s.lane = place AND s.state = 'offered' AND NOT s.paused
      ORDER BY s.spent, s.turn LIMIT 1;
      IF FOUND THEN
        PERFORM FROM svc_audio.shares AS s WHERE s.tenant = awaited AND s.lane = place FOR UPDATE;
        EXIT;
      END IF;
    END LOOP;
  -- Tending waits for shares, which a claim that has one must not do.
  ELSIF random() < 0.01 OR EXISTS (SELECT FROM svc_audio.jobs AS j WHERE j.lease_ms <= moment)
    OR EXISTS (SELECT FROM svc_audio.shares AS s WHERE s.look_ms <= moment) THEN
    nothing := svc_audio.tend_queue_2(moment);
  END IF;
  FOREACH place IN ARRAY wanted LOOP
    has_settled := false;
    WHILE amount > 0 LOOP
      SELECT s.* INTO share FROM svc_audio.shares AS s WHERE s.lane = place AND s.state = 'offered' AND NOT s.paused
      ORDER BY s.spent, s.turn LIMIT 1 FOR UPDATE SKIP LOCKED;
      IF share.tenant IS NULL THEN
        EXIT WHEN has_settled OR NOT svc_audio.settle_lane_2(place, moment);
        has_settled := true;
        CONTINUE;
      END IF;
      IF share.leases >= most THEN
        -- Ends do not wait for the row of the share, so its number is the most that there may be.
        SELECT count(*) INTO held FROM (
          SELECT FROM svc_audio.jobs AS j WHERE j.tenant = share.tenant AND svc_audio.lane_of(j.kind) = place
            AND j.lease_ms > moment AND j.request IS NOT NULL LIMIT most
        ) AS counted;
        IF held >= most THEN
          UPDATE svc_audio.shares AS s SET state = 'full', leases = held, looks = 1,
            look_ms = moment + CASE s.looks WHEN 0 THEN 50 ELSE 2000 END
          WHERE s.tenant = share.tenant AND s.lane = place;
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
          AND (first.tenant, svc_audio.lane_of(first.kind)) >= (share.tenant, place)
          AND (first.tenant, svc_audio.lane_of(first.kind)) <= (share.tenant, place)
        ORDER BY first.tenant, svc_audio.lane_of(first.kind), first.sequence LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING j.* INTO job;
      IF NOT FOUND THEN
        UPDATE svc_audio.shares AS s SET state = 'empty', looks = least(s.looks + 1, 2), look_ms = least(
            CASE s.looks WHEN 0 THEN moment + 50 WHEN 1 THEN moment + 1000 END,
            (SELECT min(j.due_ms) FROM svc_audio.jobs AS j
             WHERE j.lease_ms IS NULL AND j.tenant = share.tenant AND svc_audio.lane_of(j.kind) = place AND j.due_ms > moment))
        WHERE s.tenant = share.tenant AND s.lane = place;
        share := NULL;
        CONTINUE;
      END IF;
      -- New tenants start from the largest start: see reached_in.
      RETURN QUERY WITH charged AS (
        UPDATE svc_audio.shares AS s SET spent = share.spent + job.cost, started = share.spent,
          turn = nextval('svc_audio.turn'), leases = share.leases + 1, looks = 0
        WHERE s.tenant = share.tenant AND s.lane = place
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
    SELECT FROM svc_audio.shares AS s WHERE s.lane = ANY (wanted) AND s.state = 'offered' AND NOT s.paused) THEN
    RETURN NEXT;
  END IF;
END $$
