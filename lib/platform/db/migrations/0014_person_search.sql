-- What people are searched by, without which every search reads every person. pg_trgm comes with PostgreSQL; who
-- owns a database may add it.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";--> statement-breakpoint
-- A column of its own, because an index on an expression over properties would be written at every change of them.
ALTER TABLE "persons" ADD COLUMN "search_text" text GENERATED ALWAYS AS (
	left(coalesce("properties" ->> 'email', ''), 400) || E'\n' || left(coalesce("properties" ->> 'name', ''), 400)
) STORED;--> statement-breakpoint
CREATE INDEX "persons_search" ON "persons" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "person_distinct_ids_search" ON "person_distinct_ids" USING gin ("distinct_id" gin_trgm_ops);
