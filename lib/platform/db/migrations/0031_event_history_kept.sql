-- additive
CREATE TABLE "event_history_kept" (
	"project_id" integer NOT NULL CONSTRAINT "event_history_kept_project_id_projects_id_fk" REFERENCES "public"."projects"("id") ON DELETE cascade,
	"event" text NOT NULL,
	"day" date NOT NULL,
	"count" bigint NOT NULL,
	"hash" numeric NOT NULL,
	CONSTRAINT "event_history_kept_project_id_event_day_pk" PRIMARY KEY("project_id","event","day")
);
--> statement-breakpoint
ALTER TABLE "erasures" ADD COLUMN "copied_distinct_ids" text[] DEFAULT '{}'::text[] NOT NULL;
