-- additive
ALTER TABLE "feature_flags" ADD COLUMN "pins" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "feature_flags_pinned" ON "feature_flags" USING btree ("project_id") WHERE "feature_flags"."pins" <> '[]'::jsonb;