-- The start of the last claim of a lane: the sum that its share had before it. It is the virtual time of the lane, which no
-- share returns to the queue below. Earlier programs write it into `lanes`.
CREATE FUNCTION svc_audio.reached_in(place text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT greatest(
    (SELECT l.reached FROM svc_audio.lanes AS l WHERE l.lane = place),
    (SELECT s.started FROM svc_audio.shares AS s WHERE s.lane = place ORDER BY s.started DESC LIMIT 1))
$$
