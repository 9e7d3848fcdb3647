import { type Author, record } from "#lib/activity/service.ts";
import type { Json } from "#lib/engines/json.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { flagChanges, flagEntry } from "./history/changes.ts";
import { deleteFlags, type FlagInsert, type FlagRow, insertFlag, updateFlag } from "./store.ts";

type NewFlag = Omit<FlagInsert, "project_id" | "created_by_id" | "last_modified_by_id"> &
  Required<Pick<FlagInsert, "creation_context">>;

/**
 * Creates a flag for a record that owns it, in the transaction of that record. Its caller checks what is written,
 * and publishes the change with its own.
 *
 * @returns null where the key is taken
 */
export async function insertOwned(tx: Db, by: Author, flag: NewFlag): Promise<FlagRow | null> {
  const { project_id, user_id } = by;
  const row = await insertFlag(tx, {
    ...flag,
    project_id,
    created_by_id: user_id,
    last_modified_by_id: user_id,
  });
  if (row) await record(tx, flagEntry(by, row, "created"));
  return row;
}

/**
 * Changes a flag with the record that owns it.
 *
 * @param before the flag as it is, locked; its payloads are readable
 * @param values what changes, as it is stored
 * @param filters the filters after the change, with readable payloads
 */
export async function updateOwned(
  tx: Db,
  by: Author,
  before: FlagRow,
  values: Partial<FlagInsert>,
  filters: Json,
): Promise<FlagRow> {
  const row = await updateFlag(tx, before.id, {
    ...values,
    version: before.version + 1,
    updated_at: by.now,
    last_modified_by_id: by.user_id,
  });
  const changes = flagChanges(before, { ...row, filters });
  await record(tx, { ...flagEntry(by, row, "updated"), changes });
  return row;
}

/** Deletes flags permanently with the record that owns them; flags that another kind of record created stay. */
export async function deleteOwned(
  tx: Db,
  by: Author,
  ids: number[],
  creation_context: string,
): Promise<void> {
  const rows = await deleteFlags(tx, ids, creation_context);
  if (rows.length > 0) await record(tx, ...rows.map((row) => flagEntry(by, row, "deleted")));
}
