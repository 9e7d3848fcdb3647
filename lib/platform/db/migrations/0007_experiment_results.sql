CREATE TABLE "person_merges" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"loser" bigint NOT NULL,
	"winner" bigint NOT NULL,
	"ingested" "xid8" DEFAULT pg_current_xact_id() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "experiment_days" (
	"series_id" integer NOT NULL,
	"day" date NOT NULL,
	"state" text NOT NULL,
	"query_to" timestamp (6) with time zone NOT NULL,
	"result" json,
	"error" text,
	"completed_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "experiment_days_series_id_day_pk" PRIMARY KEY("series_id","day")
);
--> statement-breakpoint
CREATE TABLE "experiment_looks" (
	"id" serial PRIMARY KEY NOT NULL,
	"experiment_id" integer NOT NULL,
	"user_id" integer,
	"at" timestamp (6) with time zone NOT NULL,
	"total" integer NOT NULL,
	"exposures" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "experiment_series" (
	"id" serial PRIMARY KEY NOT NULL,
	"experiment_id" integer NOT NULL,
	"metric_uuid" text NOT NULL,
	"fingerprint" text NOT NULL,
	"metric" json NOT NULL,
	"filled" boolean DEFAULT false NOT NULL,
	"recalculated_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "experiment_states" (
	"experiment_id" integer PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"definition" text NOT NULL,
	"watermark" "xid8" DEFAULT '0' NOT NULL,
	"cut_at" timestamp (6) with time zone NOT NULL,
	"updated_at" timestamp (6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "experiment_totals" (
	"series_id" integer NOT NULL,
	"variant" text NOT NULL,
	"step" smallint NOT NULL,
	"units" bigint NOT NULL,
	"value" numeric NOT NULL,
	"value_squares" numeric NOT NULL,
	"other" numeric NOT NULL,
	"other_squares" numeric NOT NULL,
	"value_other" numeric NOT NULL,
	"covariate" numeric NOT NULL,
	"covariate_squares" numeric NOT NULL,
	"value_covariate" numeric NOT NULL,
	CONSTRAINT "experiment_totals_series_id_variant_step_pk" PRIMARY KEY("series_id","variant","step")
);
--> statement-breakpoint
CREATE TABLE "experiment_unit_days" (
	"experiment_id" integer NOT NULL,
	"variant" text NOT NULL,
	"day" date NOT NULL,
	"units" bigint NOT NULL,
	CONSTRAINT "experiment_unit_days_experiment_id_variant_day_pk" PRIMARY KEY("experiment_id","variant","day")
);
--> statement-breakpoint
CREATE TABLE "experiment_units" (
	"experiment_id" integer NOT NULL,
	"unit" text NOT NULL,
	"variant" text NOT NULL,
	"first_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "experiment_units_experiment_id_unit_pk" PRIMARY KEY("experiment_id","unit")
);
--> statement-breakpoint
CREATE TABLE "experiment_values" (
	"series_id" integer NOT NULL,
	"unit" text NOT NULL,
	"variant" text NOT NULL,
	"value" double precision NOT NULL,
	"other" double precision NOT NULL,
	"covariate" double precision NOT NULL,
	CONSTRAINT "experiment_values_series_id_unit_pk" PRIMARY KEY("series_id","unit")
);
--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "ingested" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
ALTER TABLE "person_merges" ADD CONSTRAINT "person_merges_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_days" ADD CONSTRAINT "experiment_days_series_id_experiment_series_id_fk" FOREIGN KEY ("series_id") REFERENCES "public"."experiment_series"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_looks" ADD CONSTRAINT "experiment_looks_experiment_id_experiments_id_fk" FOREIGN KEY ("experiment_id") REFERENCES "public"."experiments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_looks" ADD CONSTRAINT "experiment_looks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_series" ADD CONSTRAINT "experiment_series_experiment_id_experiments_id_fk" FOREIGN KEY ("experiment_id") REFERENCES "public"."experiments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_states" ADD CONSTRAINT "experiment_states_experiment_id_experiments_id_fk" FOREIGN KEY ("experiment_id") REFERENCES "public"."experiments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_states" ADD CONSTRAINT "experiment_states_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_totals" ADD CONSTRAINT "experiment_totals_series_id_experiment_series_id_fk" FOREIGN KEY ("series_id") REFERENCES "public"."experiment_series"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_unit_days" ADD CONSTRAINT "experiment_unit_days_experiment_id_experiments_id_fk" FOREIGN KEY ("experiment_id") REFERENCES "public"."experiments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "person_merges_ingested" ON "person_merges" USING btree ("project_id","ingested");--> statement-breakpoint
CREATE INDEX "experiment_looks_experiment" ON "experiment_looks" USING btree ("experiment_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "experiment_series_key" ON "experiment_series" USING btree ("experiment_id","metric_uuid","fingerprint");--> statement-breakpoint
CREATE INDEX "events_ingested" ON "events" USING btree ("project_id","ingested");--> statement-breakpoint
CREATE INDEX "events_flag_called" ON "events" USING btree ("project_id",left("properties" ->> '$feature_flag', 400),"timestamp") WHERE "events"."event" = '$feature_flag_called';