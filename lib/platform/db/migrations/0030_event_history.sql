-- additive
-- They may be there already: restoring an older backup leaves them in place and comes by here again.
CREATE TABLE IF NOT EXISTS "event_history" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"generation" integer DEFAULT 1 NOT NULL,
	"folded_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_history_only" CHECK ("event_history"."only")
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "event_history_deletions" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"uuids" uuid[],
	"first_day" date,
	"last_day" date,
	"event" text,
	"before" timestamp(6) with time zone
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "event_history_positions" (
	"project_id" integer PRIMARY KEY NOT NULL,
	"cut" "xid8" NOT NULL,
	"position" jsonb,
	"batch_id" uuid,
	"batch_end" jsonb,
	"merges" jsonb
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "event_history_deletions_project" ON "event_history_deletions" USING btree ("project_id");