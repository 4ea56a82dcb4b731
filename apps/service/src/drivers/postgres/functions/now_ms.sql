-- The time of the database, in milliseconds since 1970.
CREATE FUNCTION svc_audio.now_ms() RETURNS bigint LANGUAGE sql VOLATILE
   AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint'
