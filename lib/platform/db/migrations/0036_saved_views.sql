-- additive
CREATE TABLE "saved_views" (
	"id" serial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL CONSTRAINT "saved_views_project_id_projects_id_fk" REFERENCES "public"."projects"("id") ON DELETE cascade,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_by_id" integer CONSTRAINT "saved_views_created_by_id_users_id_fk" REFERENCES "public"."users"("id") ON DELETE set null,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_name" ON "saved_views" USING btree ("project_id",lower("name"));
