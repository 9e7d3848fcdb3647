-- additive
CREATE TABLE "definition_versions" (
	"project_id" integer NOT NULL,
	"content" text NOT NULL,
	"number" integer NOT NULL,
	"flags" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "definition_versions_project_id_content_pk" PRIMARY KEY("project_id","content")
);
--> statement-breakpoint
CREATE TABLE "sdk_callers" (
	"project_id" integer NOT NULL,
	"sdk" text NOT NULL,
	"sdk_version" text NOT NULL,
	"requests" bigint NOT NULL,
	"first_seen_at" timestamp (6) with time zone NOT NULL,
	"last_seen_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sdk_callers_project_id_sdk_sdk_version_pk" PRIMARY KEY("project_id","sdk","sdk_version")
);
--> statement-breakpoint
CREATE TABLE "sdk_instances" (
	"project_id" integer NOT NULL,
	"id" text NOT NULL,
	"sdk" text NOT NULL,
	"sdk_version" text NOT NULL,
	"address" text,
	"has_stream" boolean DEFAULT false NOT NULL,
	"is_tagged" boolean DEFAULT true NOT NULL,
	"content" text,
	"content_since" timestamp (6) with time zone,
	"sent_content" text,
	"sent_at" timestamp (6) with time zone,
	"lost_answers" integer DEFAULT 0 NOT NULL,
	"first_seen_at" timestamp (6) with time zone NOT NULL,
	"last_seen_at" timestamp (6) with time zone NOT NULL,
	"interval_ms" integer,
	CONSTRAINT "sdk_instances_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "definition_versions" ADD CONSTRAINT "definition_versions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sdk_callers" ADD CONSTRAINT "sdk_callers_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sdk_instances" ADD CONSTRAINT "sdk_instances_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "definition_versions_number" ON "definition_versions" USING btree ("project_id","number");--> statement-breakpoint
CREATE INDEX "sdk_instances_last_seen" ON "sdk_instances" USING btree ("project_id","last_seen_at" DESC NULLS LAST);