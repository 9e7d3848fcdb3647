-- additive
CREATE TABLE "environments" (
	"project_id" integer PRIMARY KEY NOT NULL,
	"group_id" uuid NOT NULL,
	"place" smallint NOT NULL,
	"name" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "environments" ADD CONSTRAINT "environments_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "environments_group" ON "environments" USING btree ("group_id","place");