-- additive
CREATE TABLE "approved_states" (
	"project_id" integer NOT NULL CONSTRAINT "approved_states_project_id_projects_id_fk" REFERENCES "public"."projects"("id") ON DELETE cascade,
	"resource" text NOT NULL,
	"state" json NOT NULL,
	CONSTRAINT "approved_states_project_id_resource_pk" PRIMARY KEY("project_id","resource")
);
--> statement-breakpoint
CREATE TABLE "change_requests" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer NOT NULL CONSTRAINT "change_requests_project_id_projects_id_fk" REFERENCES "public"."projects"("id") ON DELETE cascade,
	"title" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"calls" text NOT NULL,
	"action_key" text NOT NULL,
	"resource_type" text NOT NULL,
	"resource_id" text,
	"intent_display" json NOT NULL,
	"shown" json NOT NULL,
	"validation_status" text DEFAULT 'valid' NOT NULL,
	"validation_errors" json,
	"validated_at" timestamp (6) with time zone,
	"state" text DEFAULT 'pending' NOT NULL,
	"actor" text NOT NULL,
	"created_by_id" integer CONSTRAINT "change_requests_created_by_id_users_id_fk" REFERENCES "public"."users"("id") ON DELETE set null,
	"applied_by_id" integer CONSTRAINT "change_requests_applied_by_id_users_id_fk" REFERENCES "public"."users"("id") ON DELETE set null,
	"applied_at" timestamp (6) with time zone,
	"apply_error" text DEFAULT '' NOT NULL,
	"result_data" json,
	"bypass_reason" text,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "change_request_reviews" (
	"id" serial PRIMARY KEY NOT NULL,
	"change_request_id" uuid NOT NULL CONSTRAINT "change_request_reviews_change_request_id_change_requests_id_fk" REFERENCES "public"."change_requests"("id") ON DELETE cascade,
	"created_by_id" integer CONSTRAINT "change_request_reviews_created_by_id_users_id_fk" REFERENCES "public"."users"("id") ON DELETE set null,
	"decision" text,
	"reason" text DEFAULT '' NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "scheduled_changes" ADD COLUMN "granted" json;--> statement-breakpoint
CREATE INDEX "change_requests_created" ON "change_requests" USING btree ("project_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "change_request_reviews_request" ON "change_request_reviews" USING btree ("change_request_id","id");
