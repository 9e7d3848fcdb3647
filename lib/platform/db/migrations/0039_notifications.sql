-- additive
CREATE TABLE "activity_outbox" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"activity_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "inbox_announcements" (
	"project_id" integer NOT NULL,
	"item" text NOT NULL,
	"version" text NOT NULL,
	CONSTRAINT "inbox_announcements_project_id_item_pk" PRIMARY KEY("project_id","item")
);
--> statement-breakpoint
CREATE TABLE "inbox_dismissals" (
	"project_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"item" text NOT NULL,
	"version" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inbox_dismissals_project_id_user_id_item_pk" PRIMARY KEY("project_id","user_id","item")
);
--> statement-breakpoint
CREATE TABLE "notification_deliveries" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" integer NOT NULL,
	"destination_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"digest" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp (6) with time zone NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"attempted_at" timestamp (6) with time zone,
	"response_status" integer,
	"response_body" text,
	"error" text,
	"ended_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_destinations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer NOT NULL,
	"kind" text NOT NULL,
	"user_id" integer,
	"name" text NOT NULL,
	"address" text NOT NULL,
	"types" text[] NOT NULL,
	"resources" text[] NOT NULL,
	"enabled" boolean NOT NULL,
	"secrets" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"blocked_until" timestamp (6) with time zone,
	"claimed_until" timestamp (6) with time zone,
	"delivered_at" timestamp (6) with time zone,
	"created_by_id" integer,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_messages" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" integer NOT NULL,
	"type" text NOT NULL,
	"payload" json NOT NULL,
	"created_at" timestamp (6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_subscriptions" (
	"project_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"resource_type" text NOT NULL,
	"resource_id" text NOT NULL,
	"digest" boolean NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notification_subscriptions_project_id_user_id_resource_type_resource_id_pk" PRIMARY KEY("project_id","user_id","resource_type","resource_id")
);
--> statement-breakpoint
ALTER TABLE "inbox_announcements" ADD CONSTRAINT "inbox_announcements_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "inbox_dismissals" ADD CONSTRAINT "inbox_dismissals_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "inbox_dismissals" ADD CONSTRAINT "inbox_dismissals_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_destination_id_notification_destinations_id_fk" FOREIGN KEY ("destination_id") REFERENCES "public"."notification_destinations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_message_id_notification_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."notification_messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_destinations" ADD CONSTRAINT "notification_destinations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_destinations" ADD CONSTRAINT "notification_destinations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_destinations" ADD CONSTRAINT "notification_destinations_created_by_id_users_id_fk" FOREIGN KEY ("created_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_messages" ADD CONSTRAINT "notification_messages_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_subscriptions" ADD CONSTRAINT "notification_subscriptions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_subscriptions" ADD CONSTRAINT "notification_subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_deliveries_once" ON "notification_deliveries" USING btree ("message_id","destination_id");--> statement-breakpoint
CREATE INDEX "notification_deliveries_due" ON "notification_deliveries" USING btree ("next_at") WHERE "notification_deliveries"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "notification_deliveries_destination" ON "notification_deliveries" USING btree ("destination_id","id");--> statement-breakpoint
CREATE INDEX "notification_deliveries_dead" ON "notification_deliveries" USING btree ("project_id","id") WHERE "notification_deliveries"."state" = 'dead';--> statement-breakpoint
CREATE INDEX "notification_deliveries_ended" ON "notification_deliveries" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "notification_destinations_project" ON "notification_destinations" USING btree ("project_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "notification_destinations_person" ON "notification_destinations" USING btree ("project_id","user_id") WHERE "notification_destinations"."kind" = 'person';--> statement-breakpoint
CREATE INDEX "notification_messages_project" ON "notification_messages" USING btree ("project_id","created_at");--> statement-breakpoint
CREATE INDEX "notification_subscriptions_resource" ON "notification_subscriptions" USING btree ("project_id","resource_type","resource_id");