-- It may be there already: restoring an older backup leaves it in place and comes by here again.
CREATE TABLE IF NOT EXISTS "backups" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"file" text NOT NULL,
	"bytes" bigint NOT NULL,
	"rows" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "backups_created_at" ON "backups" USING btree ("created_at");