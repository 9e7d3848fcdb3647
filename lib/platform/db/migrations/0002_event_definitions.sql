CREATE TABLE "event_definitions" (
	"project_id" integer NOT NULL,
	"name" text NOT NULL,
	"count" bigint NOT NULL,
	"last_seen_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "event_definitions_project_id_name_pk" PRIMARY KEY("project_id","name")
);
--> statement-breakpoint
ALTER TABLE "event_definitions" ADD CONSTRAINT "event_definitions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;