-- Refuses a change of the audit log.
CREATE FUNCTION svc_audio.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION 'Records of the audit log never change';
   END $$
