-- Claims the next webhook call, as `claim_task_1` claims a job. Within a tenant the longest due call is first.
CREATE FUNCTION svc_audio.claim_webhook_1(at_ms bigint, lease_length bigint, most bigint)
  RETURNS TABLE (
    webhook text, url text, attempt integer, token bigint, ended_ms bigint,
    id text, tenant text, kind text, status text, model text, created_at bigint, updated_at bigint,
    result text, error text, webhook_url text
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
      UPDATE webhooks SET token = greatest(webhooks.token + 1, moment), attempts = webhooks.attempts + 1, lease_ms = moment + lease_length
      WHERE webhooks.id = chosen AND webhooks.status = 'pending' AND ready_ms <= moment RETURNING * INTO call;
      EXIT WHEN FOUND;
    END LOOP;
    INSERT INTO webhook_turns VALUES (owner, nextval('turn'))
    ON CONFLICT ON CONSTRAINT webhook_turns_pkey DO UPDATE SET turn = excluded.turn;
    RETURN QUERY SELECT call.id, call.url, call.attempts, call.token, call.created_ms,
      t.id, t.tenant, t.kind, t.status, t.model, t.created_at, t.updated_at, t.result, t.error, t.webhook_url
      FROM tasks AS t WHERE t.id = call.task_id;
  END $$
