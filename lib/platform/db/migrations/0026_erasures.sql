-- additive
CREATE TABLE "erasures" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer NOT NULL,
	"person_uuid" uuid NOT NULL,
	"requested_by_id" integer,
	"requested_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"cut" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"person_ids" bigint[] NOT NULL,
	"distinct_ids" text[] NOT NULL,
	"hashes" text[] NOT NULL,
	"removed" jsonb NOT NULL,
	"unchanged_experiments" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"events_deleted_before" timestamp (6) with time zone,
	"finished_at" timestamp (6) with time zone
);
--> statement-breakpoint
CREATE INDEX "erasures_project" ON "erasures" USING btree ("project_id","requested_at");