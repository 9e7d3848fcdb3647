import type { Db } from "#lib/platform/db/connect.ts";
import { createProjectCache, type ProjectCache } from "#lib/platform/project-cache.ts";
import { type SurveyRow, selectLiveSurveys } from "./store.ts";

export { SURVEYS_TOPIC } from "./store.ts";

/** The unarchived surveys of the projects in use, newest first: every browser asks for them. */
export const createSurveyCache = (db: Db) =>
  createProjectCache<readonly SurveyRow[]>("surveys", (projectId) => selectLiveSurveys(db, projectId));

export type SurveyCache = ProjectCache<readonly SurveyRow[]>;
