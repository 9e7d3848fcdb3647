DELETE FROM "jobs" WHERE "name" = 'surveys.forget_changes';--> statement-breakpoint
DROP TABLE "survey_changes" CASCADE;--> statement-breakpoint
ALTER TABLE "survey_person_days" DROP CONSTRAINT "survey_person_days_project_id_survey_id_person_id_day_iteration_pk";--> statement-breakpoint
ALTER TABLE "survey_person_days" ADD CONSTRAINT "survey_person_days_project_id_survey_id_person_id_day_iteration_pk" PRIMARY KEY ("project_id","survey_id","person_id","day","iteration") INCLUDE ("shown","dismissed","quit","abandoned","answering");
