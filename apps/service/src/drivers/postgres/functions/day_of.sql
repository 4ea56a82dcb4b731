-- The day of a time, as 2026-11-22.
CREATE FUNCTION svc_audio.day_of(ms bigint) RETURNS text LANGUAGE sql IMMUTABLE
   AS $$ SELECT to_char(to_timestamp(ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') $$
