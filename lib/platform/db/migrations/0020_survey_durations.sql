CREATE TABLE "survey_durations" (
	"project_id" integer NOT NULL,
	"survey_id" text NOT NULL,
	"width" smallint NOT NULL,
	"tenths" bigint NOT NULL,
	"day" date NOT NULL,
	"until" date NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "survey_durations_project_id_survey_id_width_tenths_day_until_pk" PRIMARY KEY("project_id","survey_id","width","tenths","day","until")
);
--> statement-breakpoint
ALTER TABLE "survey_durations" ADD CONSTRAINT "survey_durations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
INSERT INTO "survey_durations" ("project_id", "survey_id", "width", "tenths", "day", "until", "n")
SELECT "project_id", "survey_id", "w"."width", "took" - "took" % "w"."width", "day", "until", count(*)
FROM (
	SELECT "project_id", "survey_id", round(extract(epoch from "timestamp" - "started_at") * 10)::bigint AS "took",
		("timestamp" at time zone 'UTC')::date AS "day",
		coalesce(("next_at" at time zone 'UTC')::date, 'infinity'::date) AS "until"
	FROM "survey_responses" WHERE "completed" AND NOT "archived" AND "timestamp" > "started_at"
) "timed" CROSS JOIN (VALUES (150), (10), (1)) AS "w"("width")
WHERE "day" <> "until" GROUP BY 1, 2, 3, 4, 5, 6;--> statement-breakpoint
DELETE FROM "survey_counts" WHERE "kind" = 'duration';
