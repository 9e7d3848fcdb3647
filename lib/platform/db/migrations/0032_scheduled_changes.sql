-- additive
CREATE TABLE "scheduled_changes" (
	"id" serial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL CONSTRAINT "scheduled_changes_project_id_projects_id_fk" REFERENCES "public"."projects"("id") ON DELETE cascade,
	"flag_id" integer NOT NULL CONSTRAINT "scheduled_changes_flag_id_feature_flags_id_fk" REFERENCES "public"."feature_flags"("id") ON DELETE cascade,
	"payload" json NOT NULL,
	"scheduled_at" timestamp (6) with time zone NOT NULL,
	"first_at" timestamp (6) with time zone NOT NULL,
	"executed_at" timestamp (6) with time zone,
	"last_executed_at" timestamp (6) with time zone,
	"failure_reason" text,
	"is_recurring" boolean DEFAULT false NOT NULL,
	"recurrence_interval" text,
	"cron_expression" text,
	"end_date" timestamp (6) with time zone,
	"timezone" text NOT NULL,
	"guard" boolean DEFAULT false NOT NULL,
	"expected_impact" json,
	"seen_version" integer,
	"deleted" boolean DEFAULT false NOT NULL,
	"created_by_id" integer CONSTRAINT "scheduled_changes_created_by_id_users_id_fk" REFERENCES "public"."users"("id") ON DELETE set null,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "scheduled_changes_flag" ON "scheduled_changes" USING btree ("flag_id");--> statement-breakpoint
CREATE INDEX "scheduled_changes_project" ON "scheduled_changes" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "scheduled_changes_pending" ON "scheduled_changes" USING btree ("scheduled_at") WHERE "scheduled_changes"."executed_at" is null and not "scheduled_changes"."deleted";
