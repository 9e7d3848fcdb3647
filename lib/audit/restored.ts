import type { Db } from "#lib/platform/db/connect.ts";
import { type Checkpoint, type Keys, signLines } from "./keys.ts";
import { note } from "./notes.ts";
import { OWN_SCOPE } from "./store.ts";

/**
 * Records that a backup was restored, signed, so that nobody else can explain away what is missing.
 *
 * @param replaced where the log ended that was there before
 */
export async function noteRestored(
  db: Db,
  [key]: Keys,
  replaced: Checkpoint | null,
  backup: { file: string; taken_at: string },
): Promise<void> {
  const end = replaced && { chain: replaced.chain, position: replaced.position, hash: replaced.hash };
  await note(db, {
    project_id: null,
    user_id: null,
    scope: OWN_SCOPE,
    item_id: backup.file,
    activity: "restored",
    detail: {
      ...backup,
      replaced: end,
      public_key: key.public_key,
      signature: signLines(key, "restoration", end ? [end.chain, end.position, end.hash] : []),
    },
  });
}
