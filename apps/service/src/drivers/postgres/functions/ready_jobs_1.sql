-- The first job of each tenant and kind that a worker could have now. The planner sees through this function, so a query
-- for any row stops at the first. It reads by index only, tenant by tenant and kind by kind.
-- /
CREATE FUNCTION svc_audio.ready_jobs_1(moment bigint, skipped text[])
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
  $$
