-- The lane of a kind of task.
CREATE FUNCTION svc_audio.lane_of(kind text) RETURNS text LANGUAGE sql IMMUTABLE
   AS $$ SELECT CASE kind WHEN 'audio.transcription' THEN 'recognition' ELSE 'speech' END $$
