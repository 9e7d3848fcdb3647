-- additive
CREATE TABLE "event_horizons" (
	"project_id" integer NOT NULL CONSTRAINT "event_horizons_project_id_projects_id_fk" REFERENCES "public"."projects"("id") ON DELETE cascade,
	"event" text NOT NULL,
	"before" timestamp (6) with time zone NOT NULL,
	"refused" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "event_horizons_project_id_event_pk" PRIMARY KEY("project_id","event")
);
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "event_retention" json;--> statement-breakpoint
ALTER TABLE "event_definitions" ADD COLUMN "deleted" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "experiment_states" ADD COLUMN "sealed" boolean DEFAULT false NOT NULL;
