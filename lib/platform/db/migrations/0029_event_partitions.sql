-- additive
-- Every partition costs reads a lock of it and of each of its indexes: they are now made a year ahead, not eight.
DO $$
DECLARE
  partition text;
  used boolean;
BEGIN
  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'events'::regclass
      AND (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']+)''\)'))[1]::timestamptz > now() + interval '15 months'
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', partition) INTO used;
    IF NOT used THEN
      EXECUTE format('DROP TABLE %I', partition);
    END IF;
  END LOOP;
END $$;
