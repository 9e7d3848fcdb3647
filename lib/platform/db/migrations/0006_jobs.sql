CREATE TABLE "jobs" (
	"name" text NOT NULL,
	"key" text NOT NULL,
	"payload" json,
	"state" text DEFAULT 'waiting' NOT NULL,
	"run_at" timestamp (6) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"lease_id" uuid,
	"lease_until" timestamp (6) with time zone,
	"again" boolean DEFAULT false NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"total" integer DEFAULT 0 NOT NULL,
	"failures" json DEFAULT '{}'::json NOT NULL,
	"last_error" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (6) with time zone,
	"finished_at" timestamp (6) with time zone,
	CONSTRAINT "jobs_name_key_pk" PRIMARY KEY("name","key")
);
--> statement-breakpoint
CREATE INDEX "jobs_due" ON "jobs" USING btree ("run_at") WHERE "jobs"."state" in ('waiting', 'running');