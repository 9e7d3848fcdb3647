CREATE TABLE "feature_flag_test_cases" (
	"id" serial PRIMARY KEY NOT NULL,
	"flag_id" integer NOT NULL,
	"name" text NOT NULL,
	"distinct_id" text NOT NULL,
	"person_properties" json NOT NULL,
	"groups" json NOT NULL,
	"group_properties" json NOT NULL,
	"expected" json NOT NULL,
	"created_by_id" integer,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "feature_flag_test_cases" ADD CONSTRAINT "feature_flag_test_cases_flag_id_feature_flags_id_fk" FOREIGN KEY ("flag_id") REFERENCES "public"."feature_flags"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feature_flag_test_cases" ADD CONSTRAINT "feature_flag_test_cases_created_by_id_users_id_fk" FOREIGN KEY ("created_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "feature_flag_test_cases_flag" ON "feature_flag_test_cases" USING btree ("flag_id");