CREATE TABLE "survey_changes" (
	"project_id" integer NOT NULL,
	"survey_id" text NOT NULL,
	"n" bigint NOT NULL,
	"stamp" uuid DEFAULT gen_random_uuid() NOT NULL,
	"at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"people" bigint[] NOT NULL,
	"responses" uuid[] NOT NULL,
	"everything" boolean NOT NULL,
	CONSTRAINT "survey_changes_project_id_survey_id_n_pk" PRIMARY KEY("project_id","survey_id","n")
);
--> statement-breakpoint
ALTER TABLE "survey_changes" ADD CONSTRAINT "survey_changes_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
INSERT INTO "survey_changes" ("project_id", "survey_id", "n", "people", "responses", "everything")
SELECT DISTINCT "project_id", "survey_id", 1, '{}'::bigint[], '{}'::uuid[], true FROM "survey_counts";
