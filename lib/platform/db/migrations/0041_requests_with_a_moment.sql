-- additive
ALTER TABLE "change_requests" ADD COLUMN "apply_at" timestamp (6) with time zone;