-- Adds to the sums of stored bytes for metrics.
CREATE FUNCTION svc_audio.count_area() RETURNS trigger LANGUAGE plpgsql SET search_path = svc_audio, pg_temp AS $$
   BEGIN
     IF TG_OP <> 'INSERT' THEN
       INSERT INTO area_bytes AS sums VALUES (OLD.area, pg_backend_pid() % 16, -OLD.bytes)
       ON CONFLICT (area, slot) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
     END IF;
     IF TG_OP <> 'DELETE' THEN
       INSERT INTO area_bytes AS sums VALUES (NEW.area, pg_backend_pid() % 16, NEW.bytes)
       ON CONFLICT (area, slot) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
     END IF;
     RETURN NULL;
   END $$
