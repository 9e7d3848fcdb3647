import type { Db } from "#lib/platform/db/connect.ts";
import { createProjectCache, type ProjectCache } from "#lib/platform/project-cache.ts";
import { type CohortRow, selectLiveCohorts } from "./store.ts";

/** The notification topic of changed cohorts; its payload is `{project_id}`. */
export const COHORTS_TOPIC = "cohorts";

/** The cohorts of one project as of one moment; never changed in place. */
export type ProjectCohorts = {
  /** Grows with every change that this process saw; equal revisions mean equal definitions. */
  revision: number;
  /** Cohorts that are not deleted, static ones included. */
  byId: ReadonlyMap<number, CohortRow>;
};

/** The cohorts of the projects in use: evaluation needs them at every call. */
export const createCohortCache = (db: Db) =>
  createProjectCache<ProjectCohorts>("cohorts", async (projectId, revision) => {
    const rows = await selectLiveCohorts(db, projectId);
    return { revision, byId: new Map(rows.map((row) => [row.id, row])) };
  });

export type CohortCache = ProjectCache<ProjectCohorts>;
