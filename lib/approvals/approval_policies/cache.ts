import type { Db } from "#lib/platform/db/connect.ts";
import { createProjectCache, type ProjectCache } from "#lib/platform/project-cache.ts";
import { type PolicyRow, selectAllPolicies } from "./store.ts";

/** The notification topic of changed policies; its payload is `{project_id}`. */
export const POLICIES_TOPIC = "approval_policies";

/** The policies of the projects in use, those that are not enabled included: every write asks for them. */
export const createPolicyCache = (db: Db) =>
  createProjectCache<readonly PolicyRow[]>("approval_policies", (projectId) =>
    selectAllPolicies(db, projectId),
  );

export type PolicyCache = ProjectCache<readonly PolicyRow[]>;
