CREATE TABLE "activity_log" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer NOT NULL,
	"user_id" integer,
	"scope" text NOT NULL,
	"item_id" text NOT NULL,
	"activity" text NOT NULL,
	"detail" json NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organization_memberships" (
	"organization_id" uuid NOT NULL,
	"user_id" integer NOT NULL,
	"level" smallint DEFAULT 1 NOT NULL,
	"joined_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "organization_memberships_organization_id_user_id_pk" PRIMARY KEY("organization_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "personal_api_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" integer NOT NULL,
	"label" text NOT NULL,
	"secure_value" text NOT NULL,
	"mask_value" text NOT NULL,
	"scopes" text[] NOT NULL,
	"scoped_teams" integer[] DEFAULT '{}' NOT NULL,
	"scoped_organizations" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (6) with time zone,
	"last_rolled_at" timestamp (6) with time zone,
	"expires_at" timestamp (6) with time zone
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" serial PRIMARY KEY NOT NULL,
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	"api_token" text NOT NULL,
	"secret_api_token" text NOT NULL,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"is_demo" boolean DEFAULT false NOT NULL,
	"ingested_event" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" serial PRIMARY KEY NOT NULL,
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"distinct_id" text NOT NULL,
	"first_name" text DEFAULT '' NOT NULL,
	"last_name" text DEFAULT '' NOT NULL,
	"email" text NOT NULL,
	"is_email_verified" boolean DEFAULT false NOT NULL,
	"hedgehog_config" json,
	"role_at_organization" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_uuids" (
	"project_id" integer NOT NULL,
	"uuid" uuid NOT NULL,
	CONSTRAINT "event_uuids_project_id_uuid_pk" PRIMARY KEY("project_id","uuid")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"project_id" integer NOT NULL,
	"uuid" uuid NOT NULL,
	"event" text NOT NULL,
	"distinct_id" text NOT NULL,
	"timestamp" timestamp (6) with time zone NOT NULL,
	"properties" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "events_project_id_uuid_timestamp_pk" PRIMARY KEY("project_id","uuid","timestamp")
) PARTITION BY RANGE ("timestamp");
--> statement-breakpoint
-- A quarter a partition; whatever lies outside (wrong clocks, history) goes to the default one.
DO $$
DECLARE starts date := '2024-01-01';
BEGIN
  WHILE starts < '2032-01-01' LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
      'events_' || to_char(starts, 'YYYY"q"Q'), starts::text || ' 00:00:00+00', (starts + interval '3 months')::date::text || ' 00:00:00+00');
    starts := starts + interval '3 months';
  END LOOP;
END $$;
--> statement-breakpoint
CREATE TABLE "events_other" PARTITION OF "events" DEFAULT;
--> statement-breakpoint
CREATE TABLE "group_types" (
	"project_id" integer NOT NULL,
	"group_type_index" smallint NOT NULL,
	"group_type" text NOT NULL,
	CONSTRAINT "group_types_project_id_group_type_index_pk" PRIMARY KEY("project_id","group_type_index")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"project_id" integer NOT NULL,
	"group_type_index" smallint NOT NULL,
	"group_key" text NOT NULL,
	"properties" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "groups_project_id_group_type_index_group_key_pk" PRIMARY KEY("project_id","group_type_index","group_key")
);
--> statement-breakpoint
CREATE TABLE "person_distinct_ids" (
	"project_id" integer NOT NULL,
	"distinct_id" text NOT NULL,
	"person_id" bigint NOT NULL,
	CONSTRAINT "person_distinct_ids_project_id_distinct_id_pk" PRIMARY KEY("project_id","distinct_id")
);
--> statement-breakpoint
CREATE TABLE "persons" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer NOT NULL,
	"properties" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"is_identified" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "property_definitions" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer NOT NULL,
	"type" text NOT NULL,
	"group_type_index" smallint DEFAULT -1 NOT NULL,
	"name" text NOT NULL,
	"property_type" text NOT NULL,
	"count" bigint DEFAULT 0 NOT NULL,
	"distinct_values" integer DEFAULT 0 NOT NULL,
	"last_seen_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "property_definitions_project_id_type_group_type_index_name_pk" PRIMARY KEY("project_id","type","group_type_index","name")
);
--> statement-breakpoint
CREATE TABLE "property_values" (
	"project_id" integer NOT NULL,
	"type" text NOT NULL,
	"group_type_index" smallint DEFAULT -1 NOT NULL,
	"name" text NOT NULL,
	"value" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "property_values_project_id_type_group_type_index_name_value_pk" PRIMARY KEY("project_id","type","group_type_index","name","value")
);
--> statement-breakpoint
CREATE TABLE "cohort_people" (
	"cohort_id" integer NOT NULL,
	"person_id" bigint NOT NULL,
	CONSTRAINT "cohort_people_cohort_id_person_id_pk" PRIMARY KEY("cohort_id","person_id")
);
--> statement-breakpoint
CREATE TABLE "cohorts" (
	"id" serial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"filters" json NOT NULL,
	"is_static" boolean DEFAULT false NOT NULL,
	"deleted" boolean DEFAULT false NOT NULL,
	"count" integer,
	"is_calculating" boolean DEFAULT false NOT NULL,
	"errors_calculating" integer DEFAULT 0 NOT NULL,
	"created_by_id" integer,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"last_calculation" timestamp (6) with time zone
);
--> statement-breakpoint
CREATE TABLE "dashboards" (
	"id" serial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"creation_mode" text DEFAULT 'default' NOT NULL,
	"deleted" boolean DEFAULT false NOT NULL,
	"tiles" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_by_id" integer,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feature_flag_calls_daily" (
	"project_id" integer NOT NULL,
	"feature_flag_key" text NOT NULL,
	"response" text NOT NULL,
	"day" date NOT NULL,
	"calls" bigint NOT NULL,
	"last_called_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "feature_flag_calls_daily_project_id_feature_flag_key_day_response_pk" PRIMARY KEY("project_id","feature_flag_key","day","response")
);
--> statement-breakpoint
CREATE TABLE "feature_flag_hash_key_overrides" (
	"project_id" integer NOT NULL,
	"person_id" bigint NOT NULL,
	"feature_flag_key" text NOT NULL,
	"hash_key" text NOT NULL,
	CONSTRAINT "feature_flag_hash_key_overrides_project_id_person_id_feature_flag_key_pk" PRIMARY KEY("project_id","person_id","feature_flag_key")
);
--> statement-breakpoint
CREATE TABLE "feature_flags" (
	"id" serial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"key" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"filters" json NOT NULL,
	"deleted" boolean DEFAULT false NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_by_id" integer,
	"last_modified_by_id" integer,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"ensure_experience_continuity" boolean DEFAULT false,
	"rollback_conditions" json,
	"performed_rollback" boolean,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"evaluation_tags" text[] DEFAULT '{}' NOT NULL,
	"analytics_dashboards" integer[] DEFAULT '{}' NOT NULL,
	"usage_dashboard_id" integer,
	"has_enriched_analytics" boolean DEFAULT false,
	"creation_context" text DEFAULT 'feature_flags' NOT NULL,
	"is_remote_configuration" boolean DEFAULT false,
	"has_encrypted_payloads" boolean DEFAULT false,
	"evaluation_runtime" text DEFAULT 'all',
	"last_called_at" timestamp (6) with time zone
);
--> statement-breakpoint
CREATE TABLE "surveys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"type" text NOT NULL,
	"schedule" text DEFAULT 'once',
	"linked_flag_id" integer,
	"targeting_flag_id" integer,
	"internal_targeting_flag_id" integer,
	"questions" json NOT NULL,
	"conditions" json,
	"appearance" json,
	"start_date" timestamp (6) with time zone,
	"end_date" timestamp (6) with time zone,
	"archived" boolean DEFAULT false NOT NULL,
	"responses_limit" integer,
	"enable_partial_responses" boolean DEFAULT false,
	"created_by_id" integer,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "activity_log" ADD CONSTRAINT "activity_log_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activity_log" ADD CONSTRAINT "activity_log_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_memberships" ADD CONSTRAINT "organization_memberships_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_memberships" ADD CONSTRAINT "organization_memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "personal_api_keys" ADD CONSTRAINT "personal_api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_types" ADD CONSTRAINT "group_types_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "person_distinct_ids" ADD CONSTRAINT "person_distinct_ids_person_id_persons_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."persons"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "persons" ADD CONSTRAINT "persons_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "property_definitions" ADD CONSTRAINT "property_definitions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "property_values" ADD CONSTRAINT "property_values_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cohort_people" ADD CONSTRAINT "cohort_people_cohort_id_cohorts_id_fk" FOREIGN KEY ("cohort_id") REFERENCES "public"."cohorts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cohorts" ADD CONSTRAINT "cohorts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cohorts" ADD CONSTRAINT "cohorts_created_by_id_users_id_fk" FOREIGN KEY ("created_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_created_by_id_users_id_fk" FOREIGN KEY ("created_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feature_flag_calls_daily" ADD CONSTRAINT "feature_flag_calls_daily_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feature_flag_hash_key_overrides" ADD CONSTRAINT "feature_flag_hash_key_overrides_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feature_flags" ADD CONSTRAINT "feature_flags_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feature_flags" ADD CONSTRAINT "feature_flags_created_by_id_users_id_fk" FOREIGN KEY ("created_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feature_flags" ADD CONSTRAINT "feature_flags_last_modified_by_id_users_id_fk" FOREIGN KEY ("last_modified_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "surveys" ADD CONSTRAINT "surveys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "surveys" ADD CONSTRAINT "surveys_created_by_id_users_id_fk" FOREIGN KEY ("created_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "activity_log_item" ON "activity_log" USING btree ("project_id","scope","item_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "activity_log_project" ON "activity_log" USING btree ("project_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "personal_api_keys_secure_value" ON "personal_api_keys" USING btree ("secure_value");--> statement-breakpoint
CREATE INDEX "personal_api_keys_user" ON "personal_api_keys" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "projects_api_token" ON "projects" USING btree ("api_token");--> statement-breakpoint
CREATE UNIQUE INDEX "projects_secret_api_token" ON "projects" USING btree ("secret_api_token");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "users_uuid" ON "users" USING btree ("uuid");--> statement-breakpoint
CREATE INDEX "events_name_time" ON "events" USING btree ("project_id","event","timestamp");--> statement-breakpoint
CREATE INDEX "events_distinct_id" ON "events" USING btree ("project_id","distinct_id","timestamp");--> statement-breakpoint
CREATE UNIQUE INDEX "group_types_name" ON "group_types" USING btree ("project_id","group_type");--> statement-breakpoint
CREATE INDEX "person_distinct_ids_person" ON "person_distinct_ids" USING btree ("person_id");--> statement-breakpoint
CREATE UNIQUE INDEX "persons_uuid" ON "persons" USING btree ("project_id","uuid");--> statement-breakpoint
CREATE INDEX "persons_project" ON "persons" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "property_values_top" ON "property_values" USING btree ("project_id","type","group_type_index","name","count" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "cohort_people_person" ON "cohort_people" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "cohorts_created" ON "cohorts" USING btree ("project_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "dashboards_project" ON "dashboards" USING btree ("project_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "feature_flags_key" ON "feature_flags" USING btree ("project_id","key");--> statement-breakpoint
CREATE INDEX "feature_flags_created" ON "feature_flags" USING btree ("project_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "surveys_created" ON "surveys" USING btree ("project_id","created_at" DESC NULLS LAST);