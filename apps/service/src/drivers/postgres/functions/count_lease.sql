CREATE FUNCTION svc_audio.count_lease() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.leases := OLD.leases + 1;
  RETURN NEW;
END $$
