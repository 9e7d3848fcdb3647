import { sameJson } from "#lib/activity/changes.ts";
import { record } from "#lib/activity/service.ts";
import type { Json } from "#lib/engines/json.ts";
import { flagChanges } from "#lib/flags/feature_flags/history/changes.ts";
import {
  deleteOwnedFlags,
  type FlagInsert,
  type FlagRow,
  insertFlag,
  writeFlag,
} from "#lib/flags/feature_flags/owned-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";

/** The author and time of a change of a survey and its flags. */
export type Author = {
  project_id: number;
  /** null: the system. */
  user_id: number | null;
  now: Date;
};

const KEY_ATTEMPTS = 5;
const CREATION_CONTEXT = "surveys";

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

type NewFlag = { name: string; filters: Json; active: boolean };

/** Creates a flag that a survey owns; the flag's history names the author of the survey's change. */
export async function createFlag(tx: Db, by: Author, suffix: string, flag: NewFlag): Promise<number> {
  const owned: Omit<FlagInsert, "key"> = {
    ...flag,
    project_id: by.project_id,
    created_by_id: by.user_id,
    last_modified_by_id: by.user_id,
    creation_context: CREATION_CONTEXT,
  };
  for (let attempt = 0; attempt < KEY_ATTEMPTS; attempt++) {
    const row = await insertFlag(tx, { ...owned, key: `survey-targeting-${randomPart()}${suffix}` });
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
  const row = await writeFlag(tx, flag.id, { filters, active }, by);
  await record(tx, { ...act(by, row, "updated"), changes: flagChanges(flag, row) });
  return true;
}

/** Deletes flags that surveys own, permanently; other flags stay. */
export async function dropFlags(tx: Db, by: Author, ids: number[]): Promise<void> {
  const rows = await deleteOwnedFlags(tx, ids, CREATION_CONTEXT);
  if (rows.length > 0) await record(tx, ...rows.map((row) => act(by, row, "deleted")));
}
