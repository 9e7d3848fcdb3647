CREATE TABLE "experiment_holdouts" (
	"id" serial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"filters" json NOT NULL,
	"created_by_id" integer,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "experiment_metric_links" (
	"id" serial PRIMARY KEY NOT NULL,
	"experiment_id" integer NOT NULL,
	"saved_metric_id" integer NOT NULL,
	"metadata" json NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "experiment_saved_metrics" (
	"id" serial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"query" json NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"created_by_id" integer,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "experiments" (
	"id" serial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '',
	"start_date" timestamp (6) with time zone,
	"end_date" timestamp (6) with time zone,
	"feature_flag_id" integer NOT NULL,
	"holdout_id" integer,
	"exposure_cohort_id" integer,
	"parameters" json,
	"secondary_metrics" json,
	"filters" json NOT NULL,
	"archived" boolean DEFAULT false NOT NULL,
	"deleted" boolean DEFAULT false NOT NULL,
	"type" text DEFAULT 'product',
	"variants" json,
	"exposure_criteria" json,
	"metrics" json NOT NULL,
	"metrics_secondary" json NOT NULL,
	"stats_config" json,
	"conclusion" text,
	"conclusion_comment" text,
	"primary_metrics_ordered_uuids" json,
	"secondary_metrics_ordered_uuids" json,
	"created_by_id" integer,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "experiment_holdouts" ADD CONSTRAINT "experiment_holdouts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_holdouts" ADD CONSTRAINT "experiment_holdouts_created_by_id_users_id_fk" FOREIGN KEY ("created_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_metric_links" ADD CONSTRAINT "experiment_metric_links_experiment_id_experiments_id_fk" FOREIGN KEY ("experiment_id") REFERENCES "public"."experiments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_metric_links" ADD CONSTRAINT "experiment_metric_links_saved_metric_id_experiment_saved_metrics_id_fk" FOREIGN KEY ("saved_metric_id") REFERENCES "public"."experiment_saved_metrics"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_saved_metrics" ADD CONSTRAINT "experiment_saved_metrics_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_saved_metrics" ADD CONSTRAINT "experiment_saved_metrics_created_by_id_users_id_fk" FOREIGN KEY ("created_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_feature_flag_id_feature_flags_id_fk" FOREIGN KEY ("feature_flag_id") REFERENCES "public"."feature_flags"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_holdout_id_experiment_holdouts_id_fk" FOREIGN KEY ("holdout_id") REFERENCES "public"."experiment_holdouts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_exposure_cohort_id_cohorts_id_fk" FOREIGN KEY ("exposure_cohort_id") REFERENCES "public"."cohorts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_created_by_id_users_id_fk" FOREIGN KEY ("created_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "experiment_holdouts_created" ON "experiment_holdouts" USING btree ("project_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "experiment_metric_links_pair" ON "experiment_metric_links" USING btree ("experiment_id","saved_metric_id");--> statement-breakpoint
CREATE INDEX "experiment_metric_links_metric" ON "experiment_metric_links" USING btree ("saved_metric_id");--> statement-breakpoint
CREATE INDEX "experiment_saved_metrics_created" ON "experiment_saved_metrics" USING btree ("project_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "experiments_created" ON "experiments" USING btree ("project_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "experiments_flag" ON "experiments" USING btree ("feature_flag_id");--> statement-breakpoint
CREATE INDEX "experiments_holdout" ON "experiments" USING btree ("holdout_id");