-- additive
CREATE TABLE "sdk_relays" (
	"project_id" integer NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"version" text NOT NULL,
	"run_id" text NOT NULL,
	"run_started_at" timestamp (6) with time zone NOT NULL,
	"sequence" integer NOT NULL,
	"content" text,
	"problem" text,
	"first_seen_at" timestamp (6) with time zone NOT NULL,
	"reported_at" timestamp (6) with time zone NOT NULL,
	"stopped_at" timestamp (6) with time zone,
	CONSTRAINT "sdk_relays_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "sdk_instances" ADD COLUMN "relay_id" text;--> statement-breakpoint
ALTER TABLE "sdk_relays" ADD CONSTRAINT "sdk_relays_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;