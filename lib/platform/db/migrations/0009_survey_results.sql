CREATE TABLE "survey_archived_responses" (
	"project_id" integer NOT NULL,
	"uuid" uuid NOT NULL,
	"survey_id" text NOT NULL,
	"archived_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "survey_archived_responses_project_id_uuid_pk" PRIMARY KEY("project_id","uuid")
);
--> statement-breakpoint
CREATE TABLE "survey_counts" (
	"project_id" integer NOT NULL,
	"survey_id" text NOT NULL,
	"kind" text NOT NULL,
	"item" text NOT NULL,
	"day" date NOT NULL,
	"until" date NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "survey_counts_project_id_survey_id_kind_item_day_until_pk" PRIMARY KEY("project_id","survey_id","kind","item","day","until")
);
--> statement-breakpoint
CREATE TABLE "survey_person_days" (
	"project_id" integer NOT NULL,
	"survey_id" text NOT NULL,
	"person_id" bigint NOT NULL,
	"day" date NOT NULL,
	"iteration" integer NOT NULL,
	"shown" integer NOT NULL,
	"dismissed" integer NOT NULL,
	"quit" integer NOT NULL,
	"abandoned" integer NOT NULL,
	"answering" integer NOT NULL,
	"answered" integer NOT NULL,
	"completed" integer NOT NULL,
	CONSTRAINT "survey_person_days_project_id_survey_id_person_id_day_iteration_pk" PRIMARY KEY("project_id","survey_id","person_id","day","iteration")
);
--> statement-breakpoint
CREATE TABLE "survey_responses" (
	"project_id" integer NOT NULL,
	"survey_id" text NOT NULL,
	"key" uuid NOT NULL,
	"uuid" uuid NOT NULL,
	"latest" boolean NOT NULL,
	"timestamp" timestamp (6) with time zone NOT NULL,
	"next_at" timestamp (6) with time zone,
	"started_at" timestamp (6) with time zone NOT NULL,
	"person_id" bigint NOT NULL,
	"distinct_id" text NOT NULL,
	"iteration" integer NOT NULL,
	"completed" boolean NOT NULL,
	"archived" boolean NOT NULL,
	"codes" text[] NOT NULL,
	"path" smallint[] NOT NULL,
	"answers" jsonb NOT NULL,
	CONSTRAINT "survey_responses_project_id_uuid_latest_pk" PRIMARY KEY("project_id","uuid","latest")
) PARTITION BY LIST ("latest");
--> statement-breakpoint
CREATE TABLE "survey_responses_latest" PARTITION OF "survey_responses" FOR VALUES IN (true);
--> statement-breakpoint
CREATE TABLE "survey_responses_earlier" PARTITION OF "survey_responses" FOR VALUES IN (false);
--> statement-breakpoint
ALTER TABLE "survey_archived_responses" ADD CONSTRAINT "survey_archived_responses_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "survey_counts" ADD CONSTRAINT "survey_counts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "survey_person_days" ADD CONSTRAINT "survey_person_days_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "survey_responses" ADD CONSTRAINT "survey_responses_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "survey_person_days_person" ON "survey_person_days" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "survey_responses_chain" ON "survey_responses" USING btree ("project_id","survey_id","key");--> statement-breakpoint
CREATE INDEX "survey_responses_time" ON "survey_responses" USING btree ("project_id","survey_id","timestamp");--> statement-breakpoint
CREATE INDEX "survey_responses_person" ON "survey_responses" USING btree ("person_id");