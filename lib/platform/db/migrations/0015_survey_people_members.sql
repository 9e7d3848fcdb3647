CREATE TABLE "survey_people_members" (
	"project_id" integer NOT NULL,
	"survey_id" text NOT NULL,
	"upto" bigint NOT NULL,
	"leaving" boolean NOT NULL,
	CONSTRAINT "survey_people_members_project_id_survey_id_pk" PRIMARY KEY("project_id","survey_id")
);
--> statement-breakpoint
ALTER TABLE "survey_people_members" ADD CONSTRAINT "survey_people_members_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;