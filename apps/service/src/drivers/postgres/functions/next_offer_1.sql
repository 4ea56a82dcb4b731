-- The offer that a claim takes: the first job of the tenant that is next, by the rules of `claim_task_2`.
CREATE FUNCTION svc_audio.next_offer_1(moment bigint, most bigint, skipped text[])
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
  $$
