-- Adds to the sum of stored bytes of a tenant.
CREATE FUNCTION svc_audio.count_object() RETURNS trigger LANGUAGE plpgsql SET search_path = svc_audio, pg_temp AS $$
   BEGIN
     IF TG_OP <> 'INSERT' THEN
       UPDATE stored_bytes SET bytes = bytes - OLD.bytes WHERE tenant = OLD.tenant;
     END IF;
     IF TG_OP <> 'DELETE' THEN
       INSERT INTO stored_bytes AS sums VALUES (NEW.tenant, NEW.bytes)
       ON CONFLICT (tenant) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
     END IF;
     RETURN NULL;
   END $$
