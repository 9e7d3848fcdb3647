CREATE TABLE "survey_moments" (
	"project_id" integer NOT NULL,
	"survey_id" text NOT NULL,
	"kind" text NOT NULL,
	"day" date NOT NULL,
	"first_at" timestamp (6) with time zone NOT NULL,
	"last_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "survey_moments_project_id_survey_id_kind_day_pk" PRIMARY KEY("project_id","survey_id","kind","day")
);
--> statement-breakpoint
ALTER TABLE "survey_moments" ADD CONSTRAINT "survey_moments_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;