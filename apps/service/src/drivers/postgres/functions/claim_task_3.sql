-- Claims the next job, as `claim_task_2` does, and returns the trace of the request too.
--
-- Only a claim with a ready job takes the lock: any number of workers that wait for the other lane hold up no claim.
--
-- Each connection plans its queries once. Plans for the values of each claim took four fifths of its time. The other
-- settings make the one plan use the indexes, also if it was made for empty tables.
-- /
CREATE FUNCTION svc_audio.claim_task_3(
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
  END $$
