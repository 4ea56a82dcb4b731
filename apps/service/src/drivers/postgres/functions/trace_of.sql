-- The trace of a task. Volatile: it sees a task that was accepted while the claim waited.
CREATE FUNCTION svc_audio.trace_of(task text) RETURNS text LANGUAGE sql VOLATILE SET search_path = svc_audio, pg_temp
   AS 'SELECT trace FROM tasks WHERE id = task'
