-- additive
CREATE TABLE "ramps" (
	"id" serial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL CONSTRAINT "ramps_project_id_projects_id_fk" REFERENCES "public"."projects"("id") ON DELETE cascade,
	"flag_id" integer NOT NULL CONSTRAINT "ramps_flag_id_feature_flags_id_fk" REFERENCES "public"."feature_flags"("id") ON DELETE cascade,
	"plan" json NOT NULL,
	"before" json NOT NULL,
	"status" text NOT NULL,
	"step" smallint NOT NULL,
	"run" integer NOT NULL,
	"reason" json,
	"granted" json,
	"written" text NOT NULL,
	"cost" json,
	"created_by_id" integer CONSTRAINT "ramps_created_by_id_users_id_fk" REFERENCES "public"."users"("id") ON DELETE set null,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (6) with time zone
);
--> statement-breakpoint
CREATE TABLE "ramp_runs" (
	"ramp_id" integer NOT NULL CONSTRAINT "ramp_runs_ramp_id_ramps_id_fk" REFERENCES "public"."ramps"("id") ON DELETE cascade,
	"run" integer NOT NULL,
	"step" smallint NOT NULL,
	"started_at" timestamp (6) with time zone NOT NULL,
	"approved" boolean DEFAULT false NOT NULL,
	"ended_at" timestamp (6) with time zone,
	"outcome" text,
	"seen" "pg_snapshot",
	"cut_at" timestamp (6) with time zone NOT NULL,
	"observed" json,
	CONSTRAINT "ramp_runs_ramp_id_run_pk" PRIMARY KEY("ramp_id","run")
);
--> statement-breakpoint
CREATE TABLE "ramp_people" (
	"ramp_id" integer NOT NULL,
	"run" integer NOT NULL,
	"person_id" bigint NOT NULL,
	"is_treated" boolean,
	"stratum" smallint NOT NULL,
	"exposed_at" timestamp (6) with time zone NOT NULL,
	"cells" double precision[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "ramp_people_ramp_id_run_person_id_pk" PRIMARY KEY("ramp_id","run","person_id")
);
--> statement-breakpoint
CREATE INDEX "ramps_flag" ON "ramps" USING btree ("flag_id","id");--> statement-breakpoint
CREATE INDEX "ramps_project" ON "ramps" USING btree ("project_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "ramps_unfinished" ON "ramps" USING btree ("flag_id") WHERE "ramps"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "ramp_people_person" ON "ramp_people" USING btree ("person_id");
