import type { Db } from "#lib/platform/db/connect.ts";
import { insertNote } from "./store.ts";

/** Something that the activity log does not show. */
export type Note = {
  /** null: the whole installation. */
  project_id: number | null;
  /** null: the system. */
  user_id: number | null;
  scope: string;
  item_id: string;
  activity: string;
  detail?: Record<string, unknown>;
};

/** Records something for the audit log; `db` is the transaction of the action itself, so that both or neither are stored. */
export async function note(db: Db, of: Note): Promise<void> {
  await insertNote(db, { ...of, detail: of.detail ?? {} });
}
