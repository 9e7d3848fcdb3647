import type { z } from "zod";
import type { Outcome } from "#components/feature_flags/flag-actions.ts";
import type { SurveyWritten, surveyCreate, surveyUpdate } from "#lib/surveys/surveys/schema.ts";

export type SurveyCreation = z.input<typeof surveyCreate>;
export type SurveyChange = z.input<typeof surveyUpdate>;

/** What the pages let the browser do with surveys: server actions that write with the signed-in key. */
export type SurveyActions = {
  create: (projectId: string, body: SurveyCreation) => Promise<Outcome<SurveyWritten>>;
  update: (projectId: string, id: string, body: SurveyChange) => Promise<Outcome<SurveyWritten>>;
  remove: (projectId: string, id: string) => Promise<Outcome<null>>;
};
