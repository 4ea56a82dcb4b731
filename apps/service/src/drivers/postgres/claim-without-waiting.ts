/**
 * The first job of each tenant and kind that a worker could have now. The planner sees through this function, so a query
 * for any row stops at the first. It reads by index only, tenant by tenant and kind by kind.
 */
const READY_JOBS = `CREATE FUNCTION svc_audio.ready_jobs_1(moment bigint, skipped text[])
  RETURNS TABLE (tenant text, kind text, sequence bigint) LANGUAGE sql STABLE AS $$
    WITH RECURSIVE queues AS (
      (SELECT j.tenant, j.kind, j.sequence, j.due_ms FROM svc_audio.jobs AS j
       WHERE j.lease_ms IS NULL ORDER BY j.tenant, j.kind, j.sequence LIMIT 1)
      UNION ALL
      SELECT following.* FROM queues CROSS JOIN LATERAL (
        SELECT j.tenant, j.kind, j.sequence, j.due_ms FROM svc_audio.jobs AS j
        WHERE j.lease_ms IS NULL AND (j.tenant, j.kind) > (queues.tenant, queues.kind)
        ORDER BY j.tenant, j.kind, j.sequence LIMIT 1
      ) AS following
    )
    SELECT queues.tenant, queues.kind, queues.sequence FROM queues
    WHERE queues.due_ms <= moment AND queues.kind <> ALL (skipped)
    UNION ALL
    -- The first due job behind one that waits for its retry.
    SELECT queues.tenant, queues.kind, due.sequence FROM queues CROSS JOIN LATERAL (
      -- Two bounds instead of an equation: with one, the planner may read by sequence, past the jobs of others.
      SELECT j.sequence FROM svc_audio.jobs AS j
      WHERE j.lease_ms IS NULL AND (j.tenant, j.kind) >= (queues.tenant, queues.kind)
        AND (j.tenant, j.kind) <= (queues.tenant, queues.kind) AND j.due_ms <= moment
      ORDER BY j.tenant, j.kind, j.sequence LIMIT 1
    ) AS due
    WHERE queues.due_ms > moment AND queues.kind <> ALL (skipped)
    UNION ALL
    -- All jobs whose lease has lapsed.
    SELECT j.tenant, j.kind, j.sequence FROM svc_audio.jobs AS j
    WHERE j.lease_ms <= moment AND j.due_ms <= moment AND j.kind <> ALL (skipped)
  $$`

/** The offer that a claim takes: the first job of the tenant that is next, by the rules of `claim_task_2`. */
const NEXT_OFFER = `CREATE FUNCTION svc_audio.next_offer_1(moment bigint, most bigint, skipped text[])
  RETURNS TABLE (first bigint, tenant text, lane text, start bigint) LANGUAGE sql STABLE AS $$
    WITH offers AS (
      SELECT ready.tenant, svc_audio.lane_of(ready.kind) AS lane, min(ready.sequence) AS first
      FROM svc_audio.ready_jobs_1(moment, skipped) AS ready GROUP BY 1, 2
    ), leased AS (
      -- A stream has no request, and takes no share of the workers. The order makes the planner read leased jobs only.
      SELECT j.tenant FROM svc_audio.jobs AS j
      WHERE j.lease_ms > moment AND j.request IS NOT NULL AND j.kind <> ALL (skipped) ORDER BY j.lease_ms OFFSET 0
    ), running AS (
      SELECT leased.tenant, count(*) AS leases FROM leased GROUP BY leased.tenant
    )
    SELECT offers.first, offers.tenant, offers.lane, greatest(coalesce(shares.spent, 0), lanes.reached)
    FROM offers JOIN svc_audio.lanes ON lanes.lane = offers.lane
    LEFT JOIN running ON running.tenant = offers.tenant
    LEFT JOIN svc_audio.shares ON shares.tenant = offers.tenant AND shares.lane = offers.lane
    CROSS JOIN LATERAL (SELECT max(s.turn) AS turn FROM svc_audio.shares AS s WHERE s.tenant = offers.tenant) AS last
    WHERE coalesce(running.leases, 0) < most
    ORDER BY greatest(coalesce(shares.spent, 0) - lanes.reached, 0), coalesce(running.leases, 0),
      coalesce(last.turn, 0), offers.first LIMIT 1
  $$`

/**
 * Claims the next job, as `claim_task_2` does, and returns the trace of the request too.
 *
 * Only a claim with a ready job takes the lock: any number of workers that wait for the other lane hold up no claim.
 *
 * Each connection plans its queries once. Plans for the values of each claim took four fifths of its time. The other
 * settings make the one plan use the indexes, also if it was made for empty tables.
 */
const CLAIM = `CREATE FUNCTION svc_audio.claim_task_3(
    at_ms bigint, lease_length bigint, most bigint, skipped text[]
  ) RETURNS TABLE (
    token bigint, attempts integer, request text, input text,
    id text, tenant text, kind text, status text, model text, created_at bigint, updated_at bigint,
    result text, error text, webhook_url text, trace text
  ) LANGUAGE plpgsql SET search_path = svc_audio, pg_temp
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
  #variable_conflict use_column
  DECLARE
    moment bigint := coalesce(at_ms, now_ms());
    offer record;
    job jobs;
  BEGIN
    -- The smallest value is always found by index, however many jobs are ready.
    IF coalesce((SELECT min(ready_ms) FROM jobs), moment + 1) > moment THEN RETURN; END IF;
    IF NOT EXISTS (SELECT FROM ready_jobs_1(moment, skipped)) THEN RETURN; END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(hashtextextended('svc_audio claim_task', 0));
    LOOP
      moment := coalesce(at_ms, now_ms());
      SELECT next.* INTO offer FROM next_offer_1(moment, most, skipped) AS next;
      IF NOT FOUND THEN RETURN; END IF;
      -- Its holder may have renewed the lapsed lease at this moment.
      UPDATE jobs SET token = greatest(jobs.token + 1, moment), attempts = jobs.attempts + 1, lease_ms = moment + lease_length
      WHERE sequence = offer.first AND ready_ms <= moment RETURNING * INTO job;
      EXIT WHEN FOUND;
    END LOOP;
    INSERT INTO shares VALUES (offer.tenant, offer.lane, offer.start + job.cost, nextval('turn'))
    ON CONFLICT ON CONSTRAINT shares_pkey DO UPDATE SET spent = excluded.spent, turn = excluded.turn;
    UPDATE lanes SET reached = offer.start WHERE lanes.lane = offer.lane AND reached <> offer.start;
    RETURN QUERY UPDATE tasks AS t SET status = 'PROCESSING',
      updated_at = CASE t.status WHEN 'PENDING' THEN moment / 1000 ELSE t.updated_at END
    WHERE t.id = job.task_id
    RETURNING job.token, job.attempts, job.request, job.input, t.id, t.tenant, t.kind, t.status, t.model,
      t.created_at, t.updated_at, t.result, t.error, t.webhook_url, t.trace;
  END $$`

/** The step to claims that idle workers do not hold up. Older programs claim with their own function. */
export const CLAIM_WITHOUT_WAITING: readonly string[] = [READY_JOBS, NEXT_OFFER, CLAIM]
