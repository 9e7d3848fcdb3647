import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { createProjectCache, type ProjectCache } from "#lib/platform/project-cache.ts";
import { type FlagWithLinks, selectFlags } from "./store.ts";

/** A flag as it is read from memory: whatever is stored, its filters fit the schema of answers. */
export type Flag = FlagWithLinks & {
  /** Paths of stored values that could not be read and are left out. */
  unreadable_fields: readonly string[];
};

/** The notification topic of changed flags; its payload is `{project_id, ids}`, ids null for all. */
export const FLAGS_TOPIC = "feature_flags";

/** The flags of one project as of one moment; encrypted payloads are readable here, and only here. Never changed in place: hold on to it as long as you like. */
export type ProjectFlags = {
  /** Grows with every change that this process saw; equal revisions mean equal flags. */
  revision: number;
  byId: ReadonlyMap<number, Flag>;
  /** Flags that are not deleted, newest first. */
  live: readonly Flag[];
};

const newestFirst = (a: Flag, b: Flag) => b.created_at.getTime() - a.created_at.getTime() || b.id - a.id;

/**
 * Every flag of the projects in use: lists, definitions and evaluation read from here, so that none of them costs a
 * query. After a change only the changed flags are read again.
 */
export const createFlagCache = (db: Db, encryptionKey: Buffer) =>
  createProjectCache<ProjectFlags>("flags", async (projectId, revision, change) => {
    const rows = await selectFlags(db, projectId, change && [...change.ids]);
    const byId = new Map(change?.previous.byId);
    for (const id of change?.ids ?? []) byId.delete(id);
    for (const row of rows) byId.set(row.id, readFlag(row, encryptionKey));
    const live = [...byId.values()].filter((flag) => !flag.deleted).sort(newestFirst);
    return { revision, byId, live };
  });

export type FlagCache = ProjectCache<ProjectFlags>;
