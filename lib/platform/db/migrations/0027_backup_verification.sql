-- additive
-- It may be there already: restoring an older backup leaves the table in place and comes by here again.
ALTER TABLE "backups" ADD COLUMN IF NOT EXISTS "verified_at" timestamp (6) with time zone;
--> statement-breakpoint
-- Which statements are slow, where the server collects that (see shared_preload_libraries) and we may read it.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'pg_stat_statements') THEN
    CREATE EXTENSION IF NOT EXISTS pg_stat_statements;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;
