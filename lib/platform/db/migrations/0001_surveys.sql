ALTER TABLE "surveys" ALTER COLUMN "questions" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "internal_response_sampling_flag_id" integer;--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "iteration_count" integer;--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "iteration_frequency_days" integer;--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "iteration_start_dates" json;--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "current_iteration" integer;--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "current_iteration_start_date" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "response_sampling_start_date" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "response_sampling_interval_type" text DEFAULT 'week';--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "response_sampling_interval" integer;--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "response_sampling_limit" integer;--> statement-breakpoint
ALTER TABLE "surveys" ADD COLUMN "response_sampling_daily_limits" text;--> statement-breakpoint
CREATE INDEX "events_survey" ON "events" USING btree ("project_id",left("properties" ->> '$survey_id', 36),"timestamp") WHERE "events"."event" in ('survey shown', 'survey dismissed', 'survey sent', 'survey abandoned');--> statement-breakpoint
CREATE UNIQUE INDEX "surveys_name" ON "surveys" USING btree ("project_id","name");