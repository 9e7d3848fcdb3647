import { sameJson } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { Db } from "#lib/db/connect.ts";
import { flagChanges } from "#lib/feature_flags/changes.ts";
import {
  deleteOwnedFlags,
  type FlagRow,
  insertOwnedFlag,
  type OwnedFlag,
  updateOwnedFlag,
} from "./flag_store.ts";

export { lockFlags } from "./flag_store.ts";

type Json = Record<string, unknown>;

/** Who changes a survey and its flags, and when. */
export type Author = {
  project_id: number;
  /** null: the system. */
  user_id: number | null;
  now: Date;
};

const KEY_ATTEMPTS = 5;

/** Ten hex digits that make the keys of a survey's flags unique. */
const randomPart = () => crypto.randomUUID().replaceAll("-", "").slice(0, 10);

const act = (by: Author, flag: FlagRow, activity: string) => ({
  project_id: by.project_id,
  user_id: by.user_id,
  scope: "FeatureFlag",
  item_id: String(flag.id),
  activity,
  name: flag.key,
});

type NewFlag = Pick<OwnedFlag, "name" | "filters" | "active">;

/** Makes a flag of a survey's own; told in the flag's history as by whoever changed the survey. */
export async function createFlag(tx: Db, by: Author, suffix: string, flag: NewFlag): Promise<number> {
  const owned = { ...flag, project_id: by.project_id, created_by_id: by.user_id };
  for (let attempt = 0; attempt < KEY_ATTEMPTS; attempt++) {
    const row = await insertOwnedFlag(tx, { ...owned, key: `survey-targeting-${randomPart()}${suffix}` });
    if (!row) continue;
    await record(tx, act(by, row, "created"));
    return row.id;
  }
  throw new Error("No free key was found for the flag of a survey.");
}

/** @returns whether there was anything to change */
export async function changeFlag(
  tx: Db,
  by: Author,
  flag: FlagRow,
  filters: Json,
  active: boolean,
): Promise<boolean> {
  if (flag.active === active && sameJson(flag.filters, filters)) return false;
  const row = await updateOwnedFlag(tx, flag.id, { filters, active }, by);
  if (row) await record(tx, { ...act(by, row, "updated"), changes: flagChanges(flag, row) });
  return true;
}

/** Deletes flags that surveys made, for good; any other flag stays. */
export async function dropFlags(tx: Db, by: Author, ids: number[]): Promise<void> {
  const rows = await deleteOwnedFlags(tx, ids);
  if (rows.length > 0) await record(tx, ...rows.map((row) => act(by, row, "deleted")));
}
