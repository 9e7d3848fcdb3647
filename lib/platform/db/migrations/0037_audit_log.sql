-- additive
CREATE TABLE "audit_checkpoints" (
	"position" bigint PRIMARY KEY NOT NULL,
	"previous" bigint NOT NULL,
	"hash" text NOT NULL,
	"signed_at" timestamp (6) with time zone NOT NULL,
	"public_key" text NOT NULL,
	"signature" text NOT NULL,
	"seen" "xid8"
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"position" bigint PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"source_id" uuid NOT NULL,
	"project_id" integer,
	"user_id" integer,
	"scope" text NOT NULL,
	"item_id" text NOT NULL,
	"activity" text NOT NULL,
	"created_at" timestamp(6) with time zone NOT NULL,
	"details" text NOT NULL,
	"salt" text NOT NULL,
	"previous" text NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_notes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer,
	"user_id" integer,
	"scope" text NOT NULL,
	"item_id" text NOT NULL,
	"activity" text NOT NULL,
	"detail" json NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id()
);
--> statement-breakpoint
CREATE TABLE "audit_received" (
	"id" serial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL CONSTRAINT "audit_received_project_id_projects_id_fk" REFERENCES "public"."projects"("id") ON DELETE cascade,
	"chain" text NOT NULL,
	"position" bigint NOT NULL,
	"previous" bigint NOT NULL,
	"hash" text NOT NULL,
	"signed_at" timestamp (6) with time zone NOT NULL,
	"public_key" text NOT NULL,
	"signature" text NOT NULL,
	"received_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_states" (
	"name" text PRIMARY KEY NOT NULL,
	"at" timestamp (6) with time zone NOT NULL,
	"position" bigint NOT NULL,
	"problem" text,
	"report" json
);
--> statement-breakpoint
ALTER TABLE "activity_log" ADD COLUMN "xid" "xid8" DEFAULT pg_current_xact_id();--> statement-breakpoint
CREATE UNIQUE INDEX "audit_entries_source" ON "audit_entries" USING btree ("source_id");--> statement-breakpoint
CREATE INDEX "audit_entries_project" ON "audit_entries" USING btree ("project_id","position" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "audit_entries_scope" ON "audit_entries" USING btree ("scope","activity","position");--> statement-breakpoint
CREATE INDEX "audit_notes_new" ON "audit_notes" USING btree ("xid","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "audit_received_checkpoint" ON "audit_received" USING btree ("project_id","chain","position","hash","signature");--> statement-breakpoint
CREATE INDEX "audit_received_chain" ON "audit_received" USING btree ("project_id","chain","id");--> statement-breakpoint
CREATE INDEX "activity_log_new" ON "activity_log" USING btree ("xid","created_at","id");