CREATE TABLE "dashboard_sessions" (
	"digest" text PRIMARY KEY NOT NULL,
	"key_digest" text NOT NULL,
	"created_at" timestamp (6) with time zone NOT NULL,
	"last_used_at" timestamp (6) with time zone NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "dashboard_sessions_expires" ON "dashboard_sessions" USING btree ("expires_at");