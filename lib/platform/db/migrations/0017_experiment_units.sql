CREATE TABLE "experiment_progress" (
	"experiment_id" integer PRIMARY KEY NOT NULL,
	"share" real NOT NULL,
	"updated_at" timestamp (6) with time zone NOT NULL
);
--> statement-breakpoint
DROP TABLE "experiment_values" CASCADE;--> statement-breakpoint
ALTER TABLE "experiment_series" ADD COLUMN "place" smallint;--> statement-breakpoint
ALTER TABLE "experiment_states" ADD COLUMN "seen" "pg_snapshot";--> statement-breakpoint
ALTER TABLE "experiment_states" ADD COLUMN "width" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "experiment_units" ADD COLUMN "cells" double precision[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "experiment_progress" ADD CONSTRAINT "experiment_progress_experiment_id_experiments_id_fk" FOREIGN KEY ("experiment_id") REFERENCES "public"."experiments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_series" DROP COLUMN "filled";--> statement-breakpoint
ALTER TABLE "experiment_states" DROP COLUMN "watermark";--> statement-breakpoint
-- Kept anew from the events at the next look. Room on each page lets units change where they are.
TRUNCATE "experiment_units";--> statement-breakpoint
ALTER TABLE "experiment_units" SET (fillfactor = 80);
