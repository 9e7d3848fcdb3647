-- additive
CREATE TABLE "approval_policies" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer NOT NULL CONSTRAINT "approval_policies_project_id_projects_id_fk" REFERENCES "public"."projects"("id") ON DELETE cascade,
	"action_key" text NOT NULL,
	"conditions" json NOT NULL,
	"quorum" integer NOT NULL,
	"users" integer[] NOT NULL,
	"forbidden" boolean NOT NULL,
	"allow_self_approve" boolean NOT NULL,
	"bypass_org_membership_levels" integer[] NOT NULL,
	"expires_after_seconds" integer NOT NULL,
	"enabled" boolean NOT NULL,
	"created_by_id" integer CONSTRAINT "approval_policies_created_by_id_users_id_fk" REFERENCES "public"."users"("id") ON DELETE set null,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "approval_policies_project" ON "approval_policies" USING btree ("project_id");
