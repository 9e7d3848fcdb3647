import type { Outcome } from "#components/feature_flags/flag-actions.ts";
import type { ResponseRow } from "#lib/surveys/results/schema.ts";

/** What the pages let the browser do with responses: server actions that write with the signed-in key. */
export type ResponseActions = {
  archive: (projectId: string, surveyId: string, uuid: string) => Promise<Outcome<ResponseRow>>;
  unarchive: (projectId: string, surveyId: string, uuid: string) => Promise<Outcome<ResponseRow>>;
};
