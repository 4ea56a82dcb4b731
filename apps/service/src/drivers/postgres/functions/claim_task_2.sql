-- Claims the next job, as `claim_task_1` does, but shares the workers by estimated cost. Each tenant has a sum for each
-- lane: what its claimed tasks cost, in work and before. The tenant with the smallest sum is next. `reached` is the sum
-- of the last chosen tenant before its claim. A tenant that comes back starts there: it gets no credit for its absence.
-- Of several tenants, the one with the fewest leases is next, then the one whose last turn is longest ago.
-- /
CREATE FUNCTION svc_audio.claim_task_2(
    at_ms bigint, lease_length bigint, most bigint, skipped text[]
  ) RETURNS TABLE (
    token bigint, attempts integer, request text, input text,
    id text, tenant text, kind text, status text, model text, created_at bigint, updated_at bigint,
    result text, error text, webhook_url text
  ) LANGUAGE plpgsql SET search_path = svc_audio, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    moment bigint := coalesce(at_ms, now_ms());
    chosen bigint;
    owner text;
    place text;
    start bigint;
    job jobs;
  BEGIN
    -- The smallest value is always found by index, however many jobs are ready.
    IF coalesce((SELECT min(ready_ms) FROM jobs), moment + 1) > moment THEN RETURN; END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(hashtextextended('svc_audio claim_task', 0));
    LOOP
      moment := coalesce(at_ms, now_ms());
      -- The first waiting job of each tenant and kind, and the jobs whose lease has lapsed.
      WITH RECURSIVE queues AS (
        (SELECT tenant, kind FROM jobs WHERE lease_ms IS NULL ORDER BY tenant, kind LIMIT 1)
        UNION ALL
        SELECT next.tenant, next.kind FROM queues CROSS JOIN LATERAL (
          SELECT tenant, kind FROM jobs
          WHERE lease_ms IS NULL AND (jobs.tenant, jobs.kind) > (queues.tenant, queues.kind)
          ORDER BY tenant, kind LIMIT 1
        ) AS next
      ), ready AS (
        SELECT queues.tenant, queues.kind, first.sequence FROM queues CROSS JOIN LATERAL (
          -- Two bounds instead of an equation: with one, the planner may read by sequence, past the jobs of others.
          SELECT sequence FROM jobs
          WHERE lease_ms IS NULL AND (jobs.tenant, jobs.kind) >= (queues.tenant, queues.kind)
            AND (jobs.tenant, jobs.kind) <= (queues.tenant, queues.kind) AND due_ms <= moment
          ORDER BY tenant, kind, sequence LIMIT 1
        ) AS first
        WHERE queues.kind <> ALL (skipped)
        UNION ALL
        SELECT tenant, kind, sequence FROM jobs
        WHERE lease_ms <= moment AND due_ms <= moment AND kind <> ALL (skipped)
      ), offers AS (
        SELECT tenant, lane_of(kind) AS lane, min(sequence) AS first FROM ready GROUP BY 1, 2
      ), running AS (
        -- A stream has no request, and takes no share of the workers.
        SELECT tenant, count(*) AS leases FROM jobs
        WHERE lease_ms > moment AND request IS NOT NULL AND kind <> ALL (skipped) GROUP BY tenant
      ), last AS (
        SELECT tenant, max(turn) AS turn FROM shares WHERE tenant IN (SELECT tenant FROM offers) GROUP BY tenant
      )
      SELECT offers.first, offers.tenant, offers.lane, greatest(coalesce(shares.spent, 0), lanes.reached)
      INTO chosen, owner, place, start
      FROM offers JOIN lanes ON lanes.lane = offers.lane
      LEFT JOIN running ON running.tenant = offers.tenant
      LEFT JOIN shares ON shares.tenant = offers.tenant AND shares.lane = offers.lane
      LEFT JOIN last ON last.tenant = offers.tenant
      WHERE coalesce(running.leases, 0) < most
      ORDER BY greatest(coalesce(shares.spent, 0) - lanes.reached, 0), coalesce(running.leases, 0),
        coalesce(last.turn, 0), offers.first LIMIT 1;
      IF chosen IS NULL THEN RETURN; END IF;
      -- Its holder may have renewed the lapsed lease at this moment.
      UPDATE jobs SET token = greatest(jobs.token + 1, moment), attempts = jobs.attempts + 1, lease_ms = moment + lease_length
      WHERE sequence = chosen AND ready_ms <= moment RETURNING * INTO job;
      EXIT WHEN FOUND;
    END LOOP;
    INSERT INTO shares VALUES (owner, place, start + job.cost, nextval('turn'))
    ON CONFLICT ON CONSTRAINT shares_pkey DO UPDATE SET spent = excluded.spent, turn = excluded.turn;
    UPDATE lanes SET reached = start WHERE lanes.lane = place AND reached <> start;
    UPDATE tasks SET status = 'PROCESSING', updated_at = moment / 1000
    WHERE tasks.id = job.task_id AND tasks.status = 'PENDING';
    RETURN QUERY SELECT job.token, job.attempts, job.request, job.input, t.id, t.tenant, t.kind, t.status, t.model,
      t.created_at, t.updated_at, t.result, t.error, t.webhook_url FROM tasks AS t WHERE t.id = job.task_id;
  END $$
