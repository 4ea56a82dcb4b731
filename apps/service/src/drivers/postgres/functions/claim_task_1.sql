-- Claims the next job. One claim runs at a time in the whole cluster: the order between tenants and their shares are
-- exact. An idle worker takes no lock. A claim is one statement, so a worker that stops in the middle blocks nobody.
--
-- The commit does not wait for the disk, because the next claim waits for the commit. A crash of the database may forget
-- the last claims. Their tasks are then claimed again. The tokens contain the time, so none returns: the workers of the
-- forgotten claims find that they have lost their leases.
--
-- The queue is read by index only, tenant by tenant and kind by kind: its length does not matter. A released function
-- never changes; a change is a new function with a new number, because old programs run during an upgrade.
-- /
CREATE FUNCTION svc_audio.claim_task_1(
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
    job jobs;
  BEGIN
    IF NOT EXISTS (SELECT FROM jobs WHERE ready_ms <= moment) THEN RETURN; END IF;
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
        SELECT queues.tenant, first.sequence FROM queues CROSS JOIN LATERAL (
          SELECT sequence FROM jobs
          WHERE lease_ms IS NULL AND jobs.tenant = queues.tenant AND jobs.kind = queues.kind AND due_ms <= moment
          ORDER BY sequence LIMIT 1
        ) AS first
        WHERE queues.kind <> ALL (skipped)
        UNION ALL
        SELECT tenant, sequence FROM jobs
        WHERE lease_ms <= moment AND due_ms <= moment AND kind <> ALL (skipped)
      ), offers AS (
        SELECT tenant, min(sequence) AS first FROM ready GROUP BY tenant
      ), running AS (
        -- A stream has no request, and takes no share of the workers.
        SELECT tenant, count(*) AS leases FROM jobs
        WHERE lease_ms > moment AND request IS NOT NULL AND kind <> ALL (skipped) GROUP BY tenant
      )
      SELECT offers.first, offers.tenant INTO chosen, owner
      FROM offers LEFT JOIN running ON running.tenant = offers.tenant LEFT JOIN turns ON turns.tenant = offers.tenant
      WHERE coalesce(running.leases, 0) < most
      ORDER BY coalesce(running.leases, 0), coalesce(turns.turn, 0), offers.first LIMIT 1;
      IF chosen IS NULL THEN RETURN; END IF;
      -- Its holder may have renewed the lapsed lease at this moment.
      UPDATE jobs SET token = greatest(jobs.token + 1, moment), attempts = jobs.attempts + 1, lease_ms = moment + lease_length
      WHERE sequence = chosen AND ready_ms <= moment RETURNING * INTO job;
      EXIT WHEN FOUND;
    END LOOP;
    INSERT INTO turns VALUES (owner, nextval('turn')) ON CONFLICT ON CONSTRAINT turns_pkey DO UPDATE SET turn = excluded.turn;
    UPDATE tasks SET status = 'PROCESSING', updated_at = moment / 1000
    WHERE tasks.id = job.task_id AND tasks.status = 'PENDING';
    RETURN QUERY SELECT job.token, job.attempts, job.request, job.input, t.id, t.tenant, t.kind, t.status, t.model,
      t.created_at, t.updated_at, t.result, t.error, t.webhook_url FROM tasks AS t WHERE t.id = job.task_id;
  END $$
