import type { Db } from "#lib/platform/db/connect.ts";
import { leafOf } from "./chain.ts";
import type { Keys } from "./keys.ts";
import {
  type EntryRow,
  type SourceRow,
  selectCheckpoints,
  selectEntries,
  selectLastCheckpoint,
  selectReadable,
} from "./store.ts";

const PAGE = 1_000;

const FIELDS = ["project_id", "user_id", "scope", "item_id", "activity", "created_at"] as const;

/** An entry with what it sealed, for whoever may read it; and what its row has now, where that is something else. */
export const sealedEntryOf = ({
  row,
  previous: _,
  hash: __,
  ...entry
}: EntryRow & { row: SourceRow | null }) => {
  const edited = FIELDS.filter((field) => row && row[field] !== entry[field]);
  const stored = Object.fromEntries(edited.map((field) => [field, row?.[field]]));
  return { ...entry, detail: row?.detail ?? null, ...(edited.length > 0 && { stored }) };
};

const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`;

/**
 * The log from its first entry to its newest checkpoint, as lines of JSON: entries of the project whole, others as what
 * stands for them in the chain, and every checkpoint after its last entry.
 */
export async function* exportLines(db: Db, projectId: number, keys: Keys): AsyncGenerator<string> {
  const last = await selectLastCheckpoint(db);
  const to = last?.checkpoint.position ?? 0;
  yield lineOf({
    format: "switchyard-audit-log",
    version: 1,
    chain: last?.checkpoint.chain ?? null,
    project_id: projectId,
    entries: to,
    public_key: keys[0].public_key,
  });
  for (let after = 0; after < to; ) {
    const page = await selectEntries(db, { after, to, limit: PAGE });
    const end = page.at(-1)?.position;
    if (end === undefined) break;
    const readable = await selectReadable(db, projectId, after, end);
    const checkpoints = new Map(
      (await selectCheckpoints(db, { from: after + 1, to: end, limit: PAGE })).map((each) => [
        each.position,
        each,
      ]),
    );
    let lines = "";
    for (const entry of page) {
      const { position } = entry;
      lines += lineOf(
        readable.has(position)
          ? { entry: sealedEntryOf(entry), hash: entry.hash }
          : { hidden: { position, leaf: leafOf(entry) }, hash: entry.hash },
      );
      const checkpoint = checkpoints.get(position);
      if (checkpoint) lines += lineOf({ checkpoint });
    }
    yield lines;
    after = end;
  }
}
