import { Map as SharingMap } from "immutable";
import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { createProjectCache, type ProjectCache } from "#lib/platform/project-cache.ts";
import { createSelectSomeFlags, type FlagWithLinks, selectFlags } from "./store.ts";

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
  /** Shares with the revision before what is the same, so that a change of one flag costs little among thousands. */
  byId: SharingMap<number, Flag>;
  /** Flags that are not deleted, newest first. */
  live: readonly Flag[];
};

const newestFirst = (a: Flag, b: Flag) => b.created_at.getTime() - a.created_at.getTime() || b.id - a.id;

/** Where a flag is among others that are sorted, or where it belongs. */
function placeOf(flag: Flag, sorted: readonly Flag[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle];
    if (other && newestFirst(other, flag) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sorted flags without some of them and with others, in one pass: there may be thousands. */
function replaced(sorted: readonly Flag[], gone: readonly Flag[], added: readonly Flag[]): Flag[] {
  const result: Flag[] = [];
  let at = 0;
  const copyTo = (place: number) => {
    for (; at < place; at++) result.push(sorted[at] as Flag);
  };
  for (const flag of [...gone, ...added].sort(newestFirst)) {
    copyTo(placeOf(flag, sorted));
    if (sorted[at] === flag) at += 1;
    else result.push(flag);
  }
  copyTo(sorted.length);
  return result;
}

/** Flags of which some have been read again; those that were not found are gone. */
export function withFlagsReadAgain(
  previous: ProjectFlags,
  revision: number,
  ids: readonly number[],
  flags: readonly Flag[],
): ProjectFlags {
  const byId = previous.byId.withMutations((map) => {
    for (const id of ids) map.delete(id);
    for (const flag of flags) map.set(flag.id, flag);
  });
  const isLive = (flag: Flag | undefined): flag is Flag => flag?.deleted === false;
  const gone = ids.map((id) => previous.byId.get(id)).filter(isLive);
  return { revision, byId, live: replaced(previous.live, gone, flags.filter(isLive)) };
}

/**
 * Every flag of the projects in use: lists, definitions and evaluation read from here, so that none of them costs a
 * query. After a change only the changed flags are read again.
 */
export function createFlagCache(db: Db, encryptionKey: Buffer) {
  const selectSome = createSelectSomeFlags(db);
  return createProjectCache<ProjectFlags>("flags", async (projectId, revision, change) => {
    const rows = change ? await selectSome(projectId, change.ids) : await selectFlags(db, projectId, null);
    const flags = rows.map((row) => readFlag(row, encryptionKey));
    if (change) return withFlagsReadAgain(change.previous, revision, change.ids, flags);
    return {
      revision,
      byId: SharingMap(flags.map((flag) => [flag.id, flag])),
      live: flags.filter((flag) => !flag.deleted).sort(newestFirst),
    };
  });
}

export type FlagCache = ProjectCache<ProjectFlags>;
